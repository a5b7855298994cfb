/** Captions that a source brings along: the same text on the same pictures, in every rendition and for every kind of receiver. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import type { RenditionSpec, RunSpec } from '../../../domain/run.ts';
import { captioned, readCaptions, type CaptionedOptions } from '../../helpers/captioned.ts';
import { folder, running, startRunner, until, type TestRunner } from './bench.ts';
import { capture, continuityErrors } from './receivers.ts';
import { LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const CAPTIONS = [
  { text: 'HELLO FROM ONAIR', at: 3 },
  { text: 'SECOND LINE 12', at: 5 },
  { text: 'JUDGE: ORDER', at: 7 },
];
/** Each stands on white pictures of its own. */
const WHITE = CAPTIONS.map(({ at }) => [at, at + 1] as const);
/** Three times what is promised. */
const MOST_OFF_SECONDS = 0.3;

function fileOf(dir: string, name: string, options: Omit<CaptionedOptions, 'captions' | 'white' | 'seconds'>): RunSpec['source'] {
  const path = join(dir, `${name}.ts`);
  writeFileSync(path, captioned({ ...options, seconds: 9, captions: CAPTIONS, white: WHITE }));
  return { channelId: 3, name: 'Feed', type: 'File', settings: { filename: `${name}.ts`, loop: false }, path };
}

/** When the picture becomes white. */
function flashes(path: string): number[] {
  const graph = `movie=${path},signalstats`;
  const entries = 'frame=pts_time:frame_tags=lavfi.signalstats.YAVG';
  const args = ['-v', 'error', '-f', 'lavfi', '-i', graph, '-show_entries', entries, '-of', 'csv=p=0'];
  const text = execFileSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 16 << 20 });
  const frames = text.trim().split('\n').map((line) => line.split(',').map(Number) as [number, number]);
  return frames.filter(([, y], i) => y > 180 && i > 0 && frames[i - 1]![1] <= 180).map(([time]) => time);
}

/** The text is what was sent, and each caption comes with its pictures. */
function assertCaptions(t: TestContext, path: string, what: string): void {
  const read = readCaptions(path);
  assert.deepEqual(read.map(({ text }) => text), CAPTIONS.map(({ text }) => text), what); // prettier-ignore
  const offs = flashes(path).map((seconds, i) => read[i]!.seconds - seconds);
  t.diagnostic(`${what}: captions less pictures ${offs.map((off) => Math.round(off * 1000)).join(', ')} ms`);
  assert.equal(offs.length, CAPTIONS.length);
  for (const off of offs) assert.ok(Math.abs(off) <= MOST_OFF_SECONDS, `${what}: ${off} s from its picture`);
}

async function pass(t: TestContext, from: RunSpec['source'], dir: string, renditions: RenditionSpec[]): Promise<void> {
  const receiver = await capture(t);
  const outputs = [
    output(21, 'HLS / TS', { segment_duration: 1, playlist_length: 60 }),
    output(41, 'STREAM', { url: `udp://127.0.0.1:${receiver.port}` }),
  ];
  const runner = startRunner(t, dir, runSpec('captions', from, outputs, { renditions }));
  await running(runner, 20);
  await until('the end of the file', 30, () => runner.events().some(({ kind }) => kind === 'source_lost'));
  await runner.stop();
  assert.equal(await runner.exited, 0);
  console.log(runner.events().map((e) => e.message));
  const bytes = Buffer.concat(receiver.datagrams.map(({ data }) => data));
  assert.equal(continuityErrors(bytes), 0);
  writeFileSync(join(dir, 'udp.ts'), bytes);
  execFileSync('cp', [join(dir, 'udp.ts'), '/tmp/w/cap/udp.ts']);
  assertCaptions(t, join(dir, 'udp.ts'), 'UDP');
}

for (const [codec, rate, fps, target] of [
  ['libx264', '25', 30, 'h264'],
  ['libx264', '60000/1001', 29.97, 'h264'],
  ['mpeg2video', '30000/1001', 30, 'h264'],
  ['libx265', '30', 30, 'hevc'],
  ['libx264', '30', 25, 'h264'],
  ['libx264', '30', 60, 'h264'],
  ['libx264', '30', 24, 'h264'],
] as const)
  test(`${codec} ${rate} ${fps} ${target}`, async (t) => {
    const dir = folder(t);
    const source = fileOf(dir, 'source', { codec, rate, services: true });
    await pass(t, source, dir, [rendition(11, 320, 180, 300, { fps, codec: target })]);
  });
