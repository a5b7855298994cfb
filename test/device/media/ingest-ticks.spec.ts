/** Pictures of a source on the beats of the frame clock, by a real ffmpeg. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { rawIngestArgs } from '../../../device/media/arguments/ingest-args.ts';
import { videoFilter } from '../../../device/media/arguments/ingest-filters.ts';
import { NO_FACTS } from '../../../device/media/ffmpeg-output/source-facts.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { flowOf, makeCountedClip, numbersIn } from '../../helpers/counted.ts';
import { folder } from '../runner/runner-fixture.ts';
import { fileSource, rendition } from '../runner/specs.ts';

const PICTURES = 150;

test('pictures between two ticks, timed in whole milliseconds, come once each', (t) => {
  const dir = folder(t);
  const clip = makeCountedClip(join(dir, 'counted.mp4'), PICTURES);
  const plan = planLadder([rendition(11, 320, 180, 300)]);
  for (const late of ['0.012', '0.02867']) {
    // After sound whose encoder began 21.3 ms early: on a beat, and half-way between two.
    const path = join(dir, `late-${late}.flv`);
    const streams = ['-itsoffset', late, '-i', clip, '-i', clip, '-map', '0:v', '-map', '1:a', '-c', 'copy'];
    execFileSync('ffmpeg', ['-v', 'error', ...streams, path]);
    const raw = join(dir, `${late}.yuv`);
    const filters = { video: videoFilter(plan, null, NO_FACTS, true), audio: [] };
    const args = rawIngestArgs(fileSource(path), { args: ['-i', path], list: undefined }, plan, 'video', { filters });
    execFileSync('ffmpeg', [...args.slice(0, -1), raw], { stdio: 'ignore' });
    const numbers = numbersIn(raw, ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', '320x180', '-r', '30']);
    // The first may fill up the beats before it.
    const begun = numbers.slice(numbers.lastIndexOf(numbers[0]));
    const { missing, repeated } = flowOf(begun, PICTURES);
    assert.deepEqual(
      { pictures: begun.length, missing, repeated },
      { pictures: PICTURES, missing: 0, repeated: 0 },
      late,
    );
  }
});
