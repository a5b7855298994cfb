/** How soon a player has something to play: the first segment of a plain HLS, encoded and copied. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import type { RenditionSpec } from '../../../domain/run.ts';
import { HLS } from '../../helpers/hls.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

/** Three times the bound of `npm run bench -- start`. */
const MAX_BEYOND_SECONDS = 0.9;
const KEYFRAME_SECONDS = 1;

function copied(): RenditionSpec {
  const { audio, ...rest } = rendition(11, 320, 180, 300, { codec: 'copy' });
  return { ...rest, audio: { ...audio!, codec: 'copy' } };
}

for (const [what, one] of [
  ['encoded', rendition(11, 320, 180, 300)],
  ['copied', copied()],
] as const)
  test(`the first segment of what is ${what} is as long as keyframes are apart, and there soon after`, async (t) => {
    const dir = folder(t);
    const source = fileSource(clip(dir));
    // A copy has segments of 6 s as they are by default; its first one ends at the second keyframe.
    const outputs = [output(21, 'HLS / TS', { segment_duration: 6 })];
    const runner = startRunner(t, dir, runSpec(what, source, outputs, { renditions: [one] }));
    const path = join(liveDir(dir, LIVESTREAM_ID, 21), '11/index.m3u8');
    const read = (): HLS.types.MediaPlaylist | false => {
      try {
        return HLS.parse(readFileSync(path, 'utf8')) as HLS.types.MediaPlaylist;
      } catch {
        // It is not there yet.
        return false;
      }
    };
    const { segments } = await until('the first segment', read);
    const beyond = (performance.now() - runner.startedAt) / 1000 - segments[0]!.duration;
    t.diagnostic(`${segments[0]!.duration} s long, there ${beyond.toFixed(2)} s later than that`);
    assert.ok(segments[0]!.duration <= KEYFRAME_SECONDS + 0.1);
    assert.ok(beyond <= MAX_BEYOND_SECONDS, `${beyond} s`);
    await runner.stop();
    assert.equal(await runner.exited, 0);
  });
