/** Every codec and every container says how its colours are coded: in the bitstream and in the boxes around it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { boxesIn, findBox, getBox } from '../../../device/media/fmp4/fmp4-box.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { clip, ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec } from './specs.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { wordsOf } from '../../helpers/words.ts';

type Codec = 'h264' | 'hevc' | 'av1' | 'vp9';
const [TS, CMAF, DASH, RECORD] = [21, 31, 32, 41];
const FIRST_PID = 256;

/** Value of each field that is to be in the first headers of a stream, by the names of ffmpeg's trace_headers. */
const VUI = { video_full_range_flag: 0, colour_primaries: 1, transfer_characteristics: 1 };
const FIELDS: Record<Codec, Record<string, number>> = {
  // ITU-T H.264 and H.265 annex E: 1 is BT.709 in all three.
  h264: { ...VUI, matrix_coefficients: 1 },
  hevc: { ...VUI, matrix_coefficients: 1 },
  // AV1 §6.4.2.
  av1: { color_range: 0, color_primaries: 1, transfer_characteristics: 1, matrix_coefficients: 1 },
  // VP9 §7.2.2: 2 is BT.709, and there is no more.
  vp9: { color_range: 0, color_space: 2 },
};
const TAGS = 'color_range=tv|color_space=bt709|color_transfer=bt709|color_primaries=bt709';

function assertSays(path: string, codecs: readonly Codec[]): void {
  const shown = ffprobe(
    path,
    '-select_streams',
    'v',
    '-show_entries',
    'stream=codec_name,color_range,color_space,color_transfer,color_primaries',
  );
  const lines = [...new Set(shown.split('\n').filter((line) => line !== ''))].sort();
  assert.deepEqual(lines, codecs.map((codec) => `codec_name=${codec}|${TAGS}`).sort(), path);
  for (const codec of codecs) {
    const at = codecs.indexOf(codec);
    const args = [
      '-hide_banner',
      '-i',
      path,
      '-map',
      `0:v:${at}`,
      ...wordsOf('-c copy -frames:v 2 -bsf:v trace_headers -f null -'),
    ];
    const { stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8', maxBuffer: 64 << 20 });
    for (const [name, value] of Object.entries(FIELDS[codec])) {
      const found = [...stderr.matchAll(new RegExp(` ${name} +[01]* = (\\d+)`, 'gu'))].map(([, digits]) =>
        Number(digits),
      );
      assert.deepEqual([...new Set(found)], [value], `${name} of ${codec} in ${path}`);
    }
  }
}

/** Bytes of a VisualSampleEntry before its boxes (ISO/IEC 14496-12 §12.1.3.2). */
const VISUAL_ENTRY_BYTES = 78;
/** §12.1.5: nclx, three times BT.709, limited range. */
const NCLX_BT709 = Buffer.concat([Buffer.from('nclx'), Buffer.from([0, 1, 0, 1, 0, 1, 0])]);

/** The colour tags of each track with pictures. */
function assertBoxes(path: string, tracks: number): void {
  const moov = getBox(readFileSync(path), 'moov');
  const pictures = [...boxesIn(moov)]
    .filter(({ type, body }) => type === 'trak' && findBox(body, 'mdia', 'minf', 'vmhd') !== undefined)
    .map(({ body }) => getBox(body, 'mdia', 'minf', 'stbl', 'stsd'));
  assert.equal(pictures.length, tracks, path);
  for (const stsd of pictures) {
    const [entry] = [...boxesIn(stsd, 8)];
    const colr = findBox(entry!.body.subarray(VISUAL_ENTRY_BYTES), 'colr');
    assert.deepEqual(colr, NCLX_BT709, `${path}: ${entry!.type}`);
  }
}

async function says(t: TestScope, codecs: readonly Codec[], hasTs: boolean): Promise<void> {
  const dir = folder(t);
  const path = clip(dir, { seconds: 3 });
  const renditions = codecs.map((codec, i) =>
    rendition(11 + i, 320 - 64 * i, 180 - 36 * i, 300, { ...QUICK.rendition, codec }),
  );
  const outputs = [
    ...(hasTs ? [output(TS, 'HLS / TS', QUICK.output)] : []),
    output(CMAF, 'CMAF', QUICK.output),
    output(DASH, 'DASH', QUICK.output),
    output(RECORD, 'Record'),
  ];
  const runner = startRunner(
    t,
    dir,
    runSpec(`tags-${codecs[0]}`, fileSource(path), outputs, { renditions, startTimeoutSeconds: 60 }),
  );
  await running(runner);
  const all = async (): Promise<boolean> =>
    (await runner.report()).publishings.every(({ primary }) => primary.state === 'up');
  await until('all Destinations are up', all);
  if (hasTs)
    for (const [i, codec] of codecs.entries()) {
      const folderOf = join(liveDir(dir, LIVESTREAM_ID, TS), String(11 + i));
      assertSays(await until('a segment', () => fileIn(folderOf, '.ts')), [codec]);
    }
  for (const id of [CMAF, DASH])
    for (const [i, codec] of codecs.entries()) {
      const folderOf = join(liveDir(dir, LIVESTREAM_ID, id), String(FIRST_PID + i));
      const parts = await Promise.all(['.mp4', '.m4s'].map((ending) => until(ending, () => fileIn(folderOf, ending))));
      const joined = join(dir, `${id}-${codec}.mp4`);
      writeFileSync(joined, Buffer.concat(parts.map((part) => readFileSync(part))));
      assertBoxes(joined, 1);
      assertSays(joined, [codec]);
    }
  await runner.stop();
  await runner.exited;
  const recordings = readdirSync(recordingsDir(dir, LIVESTREAM_ID), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.mp4'),
  );
  assert.ok(recordings.length > 0);
  for (const name of recordings) {
    const file = join(recordingsDir(dir, LIVESTREAM_ID), name);
    assertSays(file, codecs);
    assertBoxes(file, codecs.length);
  }
}

/** The first of those that are whole. */
function fileIn(folderOf: string, ending: string): string | undefined {
  const name = existsSync(folderOf) ? readdirSync(folderOf).find((one) => one.endsWith(ending)) : undefined;
  return name && join(folderOf, name);
}

describe('the coding of colours', { concurrency: 2 }, () => {
  it('H.264 and HEVC say how their colours are coded, in one Recording as well', (t) =>
    says(t, ['h264', 'hevc'], true));

  itLong('AV1 and VP9 say how their colours are coded', (t) => says(t, ['av1', 'vp9'], false));
});
