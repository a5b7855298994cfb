import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openAssetFiles } from '../../assets/asset-files.ts';
import { recordArgs } from '../../device/media/arguments/publisher-args.ts';
import type { AssetFiles, ClipOrder } from '../../domain/ports/control.ts';
import type { ClipSpan } from '../../domain/shapes/media/clip.ts';
import { AppError } from '../../domain/base/errors.ts';
import { itLong, someOf } from '../helpers/counts.ts';
import {
  COUNTED_FPS,
  makeCountedClip,
  numbersIn,
  soundOffsets,
  timelineOf,
  timesIn,
  type Timeline,
} from '../helpers/counted.ts';
import { until } from '../helpers/until.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { wordsOf } from '../helpers/words.ts';

const PICTURES = 900;
const never = new AbortController().signal;

const dir = mkdtempSync(join(tmpdir(), 'onair-clip-'));
const at = (name: string): string => join(dir, name);
/** For its progress, which it tells on a descriptor of its own. */
const nowhere = openSync('/dev/null', 'w');
let files: AssetFiles;
let number = 0;

before(async () => {
  files = await openAssetFiles(at('assets'), { maxBytes: 100_000_000, log: silentLog });
  makeCountedClip(at('source.mp4'), PICTURES);
  remux('source.mp4', 'source.ts', ['-f', 'mpegts']);
  remux('source.ts', 'finished.mp4', ['-movflags', '+faststart']);
  record('source.ts', at('whole-1.mp4'));
  // Two parts of one Recording, as an interruption leaves them: pictures 0-449 and 450-899.
  remux('source.mp4', 'first.ts', ['-t', '15', '-f', 'mpegts']);
  remux('source.mp4', 'second.ts', ['-f', 'mpegts'], ['-ss', '15']);
  record('first.ts', at('parts-1.mp4'));
  record('second.ts', at('parts-2.mp4'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

function remux(from: string, to: string, output: string[], input: string[] = []): void {
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...input, '-i', at(from), '-c', 'copy', ...output, at(to)]);
}

const recordingArgs = (target: string): string[] =>
  recordArgs({ container: 'mp4', video: ['h264'], audio: ['mp4a'] }, target);

/** With the very arguments that write Recordings: from a transport stream into fragments. */
function record(from: string, target: string): void {
  execFileSync('ffmpeg', recordingArgs(target), {
    input: execFileSync('cat', [at(from)], { maxBuffer: 1 << 28 }),
    stdio: ['pipe', 'ignore', 'pipe', nowhere],
  });
}

type Order = Omit<ClipOrder, 'segments'> & ClipSpan;

interface Cut {
  path: string;
  spans: ClipSpan[];
  /** The beginning of the first segment. */
  starts_at: number;
  duration: number | null;
}

type Told = (done: number, total: number) => void;

async function cutSegments(order: ClipOrder, signal = never, progress: Told = () => undefined): Promise<Cut> {
  const filename = `clip-${(number += 1)}.mp4`;
  const { spans, keep, duration_seconds } = await files.cut(filename, order, signal, progress);
  assert.equal(await keep(), true, 'the name is free');
  return { path: files.path('clips', filename), spans, starts_at: spans[0]!.in, duration: duration_seconds };
}

function cut({ in: begin, out, ...order }: Order, signal = never, progress?: Told): Promise<Cut> {
  return cutSegments({ ...order, segments: [{ in: begin, out, at: '' }] }, signal, progress);
}

async function refused(order: Order, code: string, reason: RegExp): Promise<void> {
  await assert.rejects(cut(order), (error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, reason);
    return true;
  });
}

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n);

function assertInSync(timeline: Timeline): void {
  const offsets = soundOffsets(timeline);
  assert.ok(offsets.length >= 1, `${offsets.length} beeps to compare`);
  // A picture is 33 ms, a frame of AAC 21 ms.
  for (const offset of offsets) assert.ok(Math.abs(offset) < 0.025, `the sound is off by ${offset} s`);
}

/** The time of the first frame: audio may begin before it, and a muxer may show the frame longer to make up for that. */
function beginOf([first]: readonly string[]): number {
  const shown = ['-v', 'error', '-show_entries', 'format=start_time', '-of', 'csv=p=0', first!];
  const zero = Number(execFileSync('ffprobe', shown, { encoding: 'utf8' }));
  return timesIn(first!)[1]! - 1 / COUNTED_FPS - zero;
}

/** The last: by how much the seam of two parts may move what comes behind it; the sound of the first ends after its pictures. */
const SOURCES: [string, () => string[], number][] = [
  ['parts of which the last grows', () => [at('parts-1.mp4'), at('parts-2.mp4')], 0.05],
  ['a finished MP4', () => [at('finished.mp4')], 0],
  ['a finished transport stream', () => [at('source.ts')], 0],
  ['fragments that grow', () => [at('whole-1.mp4')], 0],
];

for (const [name, sources, seam] of someOf(SOURCES, 1)) {
  describe(`a clip out of ${name}`, () => {
    let begin: number;
    before(() => void (begin = beginOf(sources())));

    it(`an accurate clip out of ${name} begins and ends with the very picture, its sound in time`, async () => {
      const seconds = (picture: number): number => begin + picture / COUNTED_FPS;
      const ranges: [number, number][] = [
        [437, 583],
        [100, 343],
      ];
      for (const [first, next] of someOf(ranges, 1)) {
        const { path, starts_at, duration } = await cut({
          files: sources(),
          in: seconds(first),
          out: seconds(next),
          mode: 'accurate',
        });
        const timeline = timelineOf(path);
        assert.deepEqual(timeline.pictures, range(first, next - 1));
        assert.equal(starts_at, seconds(first));
        assert.ok(Math.abs((duration ?? 0) - (next - first) / COUNTED_FPS) < 0.04 + seam, `${duration} s`);
        const times = timesIn(path);
        assert.ok(
          times.every((time, n) => Math.abs(time - n / COUNTED_FPS) < 0.003 + seam),
          'each picture has its time',
        );
        assertInSync(timeline);
      }
    });

    itLong(`an accurate clip out of ${name} from a fraction between two pictures begins with the next`, async () => {
      const { path } = await cut({ files: sources(), in: begin + 3.35, out: begin + 7.01, mode: 'accurate' });
      const timeline = timelineOf(path);
      assert.deepEqual(timeline.pictures, range(101, 210));
      assertInSync(timeline);
    });

    it(`segments out of ${name} follow each other in their order, with every picture of each and no other`, async () => {
      const seconds = (picture: number): number => begin + picture / COUNTED_FPS;
      const spans = [
        [610, 660],
        [437, 460],
        [95, 153],
        [440, 470],
      ] as const;
      const segments = spans.map(([first, next], i) => {
        return { in: seconds(first), out: seconds(next), at: `segments.${i}.` };
      });
      const steps: [number, number][] = [];
      const order = { files: sources(), segments, mode: 'accurate' } as const;
      const made = await cutSegments(order, never, (done, total) => void steps.push([done, total]));
      const timeline = timelineOf(made.path);
      assert.deepEqual(
        timeline.pictures,
        spans.flatMap(([first, next]) => range(first, next - 1)),
      );
      assert.deepEqual(
        made.spans,
        segments.map(({ in: from, out }) => ({ in: from, out })),
      );
      const wanted = spans.reduce((sum, [first, next]) => sum + (next - first) / COUNTED_FPS, 0);
      assert.ok(Math.abs((made.duration ?? 0) - wanted) < 0.1 + seam, `${made.duration} s, wanted ${wanted}`);
      assertInSync(timeline);
      assert.ok(steps.every(([done, total], i) => total === steps[0]![1] && done >= (steps[i - 1]?.[0] ?? 0)));
      const copied = await cutSegments({ ...order, mode: 'keyframe' });
      assert.deepEqual(
        numbersIn(copied.path),
        [range(600, 659), range(420, 459), range(90, 152), range(420, 469)].flat(),
      );
      assert.ok(
        Math.abs(copied.spans[1]!.in - seconds(420)) < 0.002,
        `it says that it begins at ${copied.spans[1]!.in}`,
      );
    });

    it(`a keyframe clip out of ${name} begins with the keyframe before, as it was coded`, async () => {
      const { path, starts_at } = await cut({ files: sources(), in: begin + 4.5, out: begin + 9, mode: 'keyframe' });
      const timeline = timelineOf(path);
      assert.deepEqual(timeline.pictures, range(120, 269));
      assert.ok(Math.abs(starts_at - begin - 4) < 0.002, `it says that it begins at ${starts_at}`);
      assertInSync(timeline);
    });
  });
}

describe('a clip', () => {
  it('a clip is cut out of a file while it is written, up to its last fragment', async () => {
    const growing = at('growing-1.mp4');
    const source = readFileSync(at('source.ts'));
    const third = Math.floor(source.length / 3);
    const writer = spawn('ffmpeg', recordingArgs(growing), { stdio: ['pipe', 'ignore', 'ignore', nowhere] });
    try {
      const sizeOf = (): number => (existsSync(growing) ? statSync(growing).size : 0);
      writer.stdin!.write(source.subarray(0, third));
      await until('some seconds of media', () => sizeOf() > 28_000);
      const { path } = await cut({ files: [growing], in: 1, out: 3, mode: 'accurate' });
      const written = sizeOf();
      assert.deepEqual(numbersIn(path), range(30, 89));
      writer.stdin!.write(source.subarray(third, 2 * third));
      await until('more of it', () => sizeOf() > written);
      await refused(
        { files: [growing], in: 1, out: 29, mode: 'keyframe' },
        'rule_violated',
        /^The Recording has [\d.]+ s now; out is 29\.$/u,
      );
    } finally {
      await end(writer);
    }
  });

  it('a clip is cut although the last fragment is torn, and although the file is deleted meanwhile', async () => {
    const torn = at('torn-1.mp4');
    copyFileSync(at('whole-1.mp4'), torn);
    truncateSync(torn, statSync(torn).size - 5000);
    let deleted = false;
    const { path } = await cut({ files: [torn], in: 10, out: 12, mode: 'accurate' }, never, () => {
      rmSync(torn, { force: true });
      deleted = true;
    });
    assert.ok(deleted && !existsSync(torn), 'it was deleted while it was cut');
    assert.deepEqual(numbersIn(path), range(300, 359));
  });

  it('a clip has the track that was asked for', async () => {
    const two = wordsOf('-map 0:v -map 0:v -map 0:a -c:v:0 libx264 -s:v:0 160x90 -preset:v ultrafast');
    execFileSync('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-y',
      '-i',
      at('source.mp4'),
      '-t',
      '3',
      ...two,
      '-c:v:1',
      'copy',
      '-c:a',
      'copy',
      at('two.mp4'),
    ]);
    const order = { files: [at('two.mp4')], in: 1, out: 2, mode: 'accurate' } as const;
    const sizeOf = (path: string): string =>
      execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=codec_type,width', '-of', 'csv=p=0', path], {
        encoding: 'utf8',
      }).trim();
    assert.equal(sizeOf((await cut(order)).path), 'video,320\naudio');
    assert.equal(sizeOf((await cut({ ...order, trackId: 1 })).path), 'video,160\naudio');
    assert.equal(sizeOf((await cut({ ...order, trackId: 3 })).path), 'audio');
    await refused({ ...order, trackId: 4 }, 'rule_violated', /has no track 4; it has 1, 2, 3/u);
  });

  it('a clip is not cut beyond the end, nor across a change of format', async () => {
    const finished = { files: [at('finished.mp4')], mode: 'accurate' } as const;
    await refused({ ...finished, in: 10, out: 31 }, 'rule_violated', /^The Recording has 30\.\d+ s now; out is 31\.$/u);
    await refused({ ...finished, in: 40, out: 41 }, 'rule_violated', /; in is 40\.$/u);
    execFileSync('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-y',
      '-i',
      at('source.mp4'),
      ...wordsOf('-t 5 -s 160x90 -preset ultrafast'),
      at('other.mp4'),
    ]);
    const mixed = { files: [at('parts-1.mp4'), at('other.mp4')], mode: 'accurate' } as const;
    await refused({ ...mixed, in: 14, out: 16 }, 'rule_violated', /changes its format at 15(?:\.\d+)? s/u);
    assert.equal(numbersIn((await cut({ ...mixed, in: 16, out: 18 })).path).length, 60);
  });

  it('a clip that is given up, or fails, leaves nothing', async () => {
    const controller = new AbortController();
    const order = { files: [at('finished.mp4')], in: 0, out: 29, mode: 'accurate' } as const;
    const before = readdirSync(at('assets/clips'));
    await assert.rejects(
      cut(order, controller.signal, () => controller.abort()),
      (error) => error instanceof AppError && error.code === 'timeout',
    );
    await refused({ ...order, files: [at('nowhere.mp4')] }, 'unavailable', /Call createClip again/u);
    assert.deepEqual(readdirSync(at('assets/clips/.incoming')), []);
    assert.deepEqual(readdirSync(at('assets/clips')), before);
  });
});

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await ended;
  }
}
