/** Real fragments for tests: ffmpeg makes a ladder, the packager's ffmpeg splits it, the segmenter cuts it. */
import { spawn, execFileSync, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CmafSegmenter, type CmafSegment } from '../../../device/media/manifests/cmaf-segmenter.ts';
import type { SegmentRule } from '../../../device/media/manifests/segment-rule.ts';
import { Fmp4Parser, type MediaFragment, type TrackInit } from '../../../device/media/fmp4/fmp4-parser.ts';
import { packagerArgs, type PackagerTrack } from '../../../device/media/arguments/packager-args.ts';
import { madeOnce } from '../../helpers/made-once.ts';

/** Frames of the pictures below, at 30 a second. */
export const LADDER_FRAMES = 372;
export const LADDER_TRACKS: (PackagerTrack & { id: string })[] = [
  { id: 'v0', pid: 0x100, kind: 'video', codec: 'h264' },
  { id: 'v1', pid: 0x101, kind: 'video', codec: 'h264' },
  { id: 'v2', pid: 0x102, kind: 'video', codec: 'h264' },
  { id: 'a0', pid: 0x103, kind: 'audio', codec: 'mp4a' },
];

/** 12.4 s in three sizes with a keyframe each second, beginning at 10 s as the encoder does. */
export function ladderStream(): Buffer {
  const sizes = [undefined, '192:108', '160:90'];
  const scaled = sizes.map((size, i) => `[s${i}]${size === undefined ? 'null' : `scale=${size}`}[v${i}]`);
  const graph = ['[0:v]split=3[s0][s1][s2]', ...scaled].join(';');
  return ffmpegOnce([
    ...['-f', 'lavfi', '-i', 'testsrc2=s=256x144:r=30', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '12.4'],
    ...['-filter_complex', graph, '-map', '[v0]', '-map', '[v1]', '-map', '[v2]', '-map', '1:a'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '30', '-keyint_min', '30'],
    ...['-sc_threshold', '0', '-b:v:0', '300k', '-b:v:1', '150k', '-b:v:2', '80k', '-c:a', 'aac', '-b:a', '96k'],
    ...['-ac', '2', '-output_ts_offset', '10', '-muxdelay', '0', '-muxpreload', '0', '-f', 'mpegts', 'pipe:1'],
  ]);
}

/** Runs ffmpeg to its end; what it writes to stdout. */
export function ffmpeg(args: string[], input?: Buffer): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...args], { input, maxBuffer: 64 << 20 });
}

/** The same, of arguments without input, which several tests use: it is made once a run. */
export function ffmpegOnce(args: string[]): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'onair-made-'));
  try {
    return readFileSync(madeOnce(join(dir, 'made'), args, (target) => writeFileSync(target, ffmpeg(args))));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

export interface PackagedTrack {
  id: string;
  init: TrackInit;
  fragments: MediaFragment[];
}

/** All that the packager makes of a stream. It ends with its input; a failure is thrown with what it said. */
export async function packaged(
  stream: Buffer,
  tracks: (PackagerTrack & { id: string })[],
  nearSeconds?: number,
): Promise<PackagedTrack[]> {
  const stdio: StdioOptions = ['pipe', 'ignore', 'pipe', ...tracks.map(() => 'pipe' as const)];
  const child = spawn('ffmpeg', packagerArgs(tracks), { stdio });
  const stderr = child.stderr as Readable;
  let output = '';
  stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const results = tracks.map(async ({ id }, i) => {
    const parser = new Fmp4Parser(nearSeconds);
    const fragments: MediaFragment[] = [];
    let init: TrackInit | undefined;
    for await (const chunk of child.stdio[3 + i] as Readable) {
      for (const event of parser.push(chunk as Buffer)) {
        if (event.init === undefined) fragments.push(event.fragment);
        else ({ init } = event);
      }
    }
    return { id, init: init!, fragments };
  });
  const stdin = child.stdin!;
  stdin.on('error', () => undefined);
  stdin.end(stream);
  const [[code], ...done] = await Promise.all([once(child, 'close'), ...results]).finally(() => child.kill('SIGKILL'));
  // Of Opus, whose frames have no fixed size in a transport stream.
  const complaints = output.split('\n').filter((line) => line !== '' && !line.includes('codec frame size is not set'));
  if (code !== 0 || complaints.length > 0) throw new Error(`The packager ended with ${code}: ${output}`);
  return done;
}

export const RULE: SegmentRule = { segmentSeconds: 3, firstSeconds: 1, keyframeSeconds: 1 };

export interface Cut {
  segments: CmafSegment[];
  inits: Map<string, TrackInit>;
  dropped: number;
  segmenter: CmafSegmenter;
}

/** The segments of all tracks; `finish` also gives the rest. */
export function cut(tracks: PackagedTrack[], rule = RULE, finish = true): Cut {
  const result: Omit<Cut, 'segmenter'> = { segments: [], inits: new Map(), dropped: 0 };
  const announced = tracks.map(({ id, init }) => ({ id, kind: init.kind }));
  const segmenter = new CmafSegmenter(announced, rule, {
    onSegment: (segment) => result.segments.push(segment),
    onInit: (id, init) => result.inits.set(id, init),
    onDropped: () => (result.dropped += 1),
  });
  feed(segmenter, tracks);
  if (finish) segmenter.finish();
  return Object.assign(result, { segmenter });
}

/** In the order of their time, as they come from a stream. */
export function feed(segmenter: CmafSegmenter, tracks: PackagedTrack[]): void {
  for (const { id, init } of tracks) segmenter.init(id, init);
  const all = tracks.flatMap(({ id, init, fragments }) =>
    fragments.map((fragment) => ({ id, fragment, end: (fragment.startTime + fragment.duration) / init.timescale })),
  );
  for (const { id, fragment } of all.sort((a, b) => a.end - b.end)) segmenter.add(id, fragment);
}
