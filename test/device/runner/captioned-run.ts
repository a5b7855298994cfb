/** Runs whose source has captions, and what receivers of every kind read in what comes out. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pidOf, readPts, startsUnit } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import type { RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { liveDir } from '../../../device/run-dir.ts';
import type { OutputSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { captioned, readCaptions, type CaptionedOptions, type ReadCaption } from '../../helpers/captioned.ts';
import { running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { capture, continuityErrors } from './receivers.ts';
import { LIVESTREAM_ID, output, runSpec } from './specs.ts';
import type { TestScope } from '../../helpers/clean-up.ts';

/** Late enough for a receiver that is there two seconds after the first picture, on a busy machine. */
export const CAPTIONS = [
  { text: 'HELLO FROM ONAIR', at: 3 },
  { text: 'SECOND LINE 12', at: 4.2 },
  { text: 'JUDGE: ORDER', at: 5.4 },
];
export const TEXTS = CAPTIONS.map(({ text }) => text);
export const SECONDS = 6.6;
/** Each stands on white pictures of its own. */
const WHITE = CAPTIONS.map(({ at }) => [at, at + 0.7] as const);
/** Three times what is promised. */
const MAX_OFF_SECONDS = 0.3;

export type Made = Pick<CaptionedOptions, 'codec' | 'rate'> & Partial<CaptionedOptions>;

export async function made(dir: string, options: Made): Promise<RunSpec['source']> {
  const path = join(dir, 'source.ts');
  writeFileSync(path, await captioned({ seconds: SECONDS, captions: CAPTIONS, white: WHITE, ...options }));
  const { captions = CAPTIONS } = options;
  // What ffmpeg reads in the source itself is what has to come out.
  assert.deepEqual(
    (await readCaptions(path)).map(({ text }) => text),
    captions.map(({ text }) => text),
  );
  return { channelId: 3, name: 'Feed', type: 'File', settings: { filename: 'source.ts', loop: false }, path };
}

/** When the picture becomes white. */
export async function flashes(path: string): Promise<number[]> {
  const entries = 'frame=pts_time:frame_tags=lavfi.signalstats.YAVG';
  const args = ['-v', 'error', '-f', 'lavfi', '-i', `movie=${path},signalstats`, '-show_entries', entries];
  const { stdout } = await promisify(execFile)('ffprobe', [...args, '-of', 'csv=p=0'], { maxBuffer: 16 << 20 });
  const frames = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number) as [number, number]);
  return frames.filter(([, y], i) => y > 180 && i > 0 && frames[i - 1]![1] <= 180).map(([time]) => time);
}

/** The text is what was sent, and each caption comes with its pictures. */
export async function assertCaptions(t: TestScope, path: string, what: string): Promise<ReadCaption[]> {
  const read = await readCaptions(path);
  assert.deepEqual(
    read.map(({ text }) => text),
    TEXTS,
    what,
  );
  const offs = (await flashes(path)).map((seconds, i) => read[i]!.seconds - seconds);
  t.diagnostic(`${what}: captions less pictures ${offs.map((off) => Math.round(off * 1000)).join(', ')} ms`);
  assert.equal(offs.length, CAPTIONS.length, what);
  for (const off of offs) assert.ok(Math.abs(off) <= MAX_OFF_SECONDS, `${what}: ${off} s from its picture`);
  return read;
}

/** From the start of the run until its file is over and viewers see the slate. */
export async function broadcast(
  t: TestScope,
  dir: string,
  spec: {
    from: RunSpec['source'];
    outputs: OutputSpec[];
    renditions: RunSpec['renditions'];
    /** Seconds that have come out: some of the slate is waited for. */
    newest?(): number;
  },
  meanwhile: (runner: TestRunner) => Promise<void> = () => Promise.resolve(),
): Promise<TestRunner> {
  const runner = startRunner(t, dir, runSpec('captions', spec.from, spec.outputs, { renditions: spec.renditions }));
  await running(runner);
  await meanwhile(runner);
  await until('the end of the file', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  const seen = spec.newest?.() ?? 0;
  await until('some of the slate', () => spec.newest === undefined || spec.newest() > seen + 0.5);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  return runner;
}

export function hls(id = 21, type: OutputSpec['type'] = 'HLS / TS'): OutputSpec {
  return output(id, type, { segment_duration: 1, playlist_length: 60 });
}

export function lost(runner: TestRunner): Record<string, unknown>[] {
  return runner.events().flatMap(({ kind, data }) => (kind === 'captions_lost' ? [data] : []));
}

export function text(dir: string, id: number, name: string): string {
  return readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), name), 'utf8');
}

/** The bytes of one track as a player gets them: its files, one after the other. */
export function joined(dir: string, id: number, track: string, to: string): string {
  const of = join(liveDir(dir, LIVESTREAM_ID, id), track);
  const number = (name: string): number => (name.startsWith('init') ? -1 : Number.parseInt(name, 10));
  const names = readdirSync(of).filter((name) => /\.(?:ts|m4s|mp4)$/u.test(name));
  const files = names.sort((a, b) => number(a) - number(b)).map((name) => readFileSync(join(of, name)));
  writeFileSync(to, Buffer.concat(files));
  return to;
}

export function flvFile(messages: readonly RtmpMessage[]): Buffer {
  const tags = messages.map(({ type, time, body }) => {
    const tag = Buffer.alloc(11 + body.length + 4);
    tag[0] = type;
    tag.writeUIntBE(body.length, 1, 3);
    tag.writeUIntBE(time & 0xffffff, 4, 3);
    tag[7] = time >>> 24;
    body.copy(tag, 11);
    tag.writeUInt32BE(11 + body.length, 11 + body.length);
    return tag;
  });
  return Buffer.concat([Buffer.from('464c5601050000000900000000', 'hex'), ...tags]);
}

export async function datagrams(
  t: TestScope,
  dir: string,
): Promise<{ out: OutputSpec; path: string; save(): string; newest(): number }> {
  const receiver = await capture(t);
  const path = join(dir, 'udp.ts');
  const all = (): Buffer => Buffer.concat(receiver.datagrams.map(({ data }) => data));
  return {
    out: output(41, 'STREAM', { url: `udp://127.0.0.1:${receiver.port}` }),
    path,
    save() {
      assert.equal(continuityErrors(all()), 0);
      writeFileSync(path, all());
      return path;
    },
    /** Seconds since its first picture. */
    newest() {
      const data = all();
      const times: number[] = [];
      for (let at = 0; at < data.length; at += 188) {
        const pts = pidOf(data, at) === 0x100 && startsUnit(data, at) ? readPts(data, at) : undefined;
        if (pts !== undefined) times.push(pts / 90_000);
      }
      return times.length === 0 ? 0 : Math.max(...times) - times[0]!;
    },
  };
}
