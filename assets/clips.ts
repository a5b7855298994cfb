/** Cuts clips out of Recordings with ffmpeg, one after the other and at the lowest priority, so that broadcasts go first. */
import { open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import type { ClipOrder } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import type { ClipSpan } from '../domain/shapes/media/clip.ts';
import { chosenTracks, cutArgs, inputOf, joinArgs, joinList, keyframeArgs, lastKeyframe, listOf } from './clip-args.ts';
import { withClipSources, type ClipSource } from './clip-source.ts';
import { runMedia, type Outcome, type RunOptions } from '../device/ffmpeg/run.ts';
import { ProgressReader } from '../device/media/ffmpeg-output/progress.ts';

export type ClipProgress = (doneSeconds: number, totalSeconds: number) => void;

/** The index of a day's fragments takes seconds to read, and a group of pictures takes less to decode. */
const STALL_MS = 60_000;
const PROBE_MS = 60_000;
/** A clip gives way to broadcasts; where they fill the machine, it still gets about a tenth of a processor. */
const LOW_PRIORITY = 10;

let lastCut: Promise<unknown> = Promise.resolve();

/**
 * Writes the clip to `target` and resolves with what its segments became: each begins at its `in`, or at the keyframe before. Rejects with
 * AppError rule_violated (beyond the end, no such track), unavailable, or timeout when `signal` fires; the caller removes the file then.
 */
export function cutClip(
  order: ClipOrder,
  target: string,
  signal: AbortSignal,
  progress: ClipProgress,
): Promise<ClipSpan[]> {
  // The files are opened before the turn comes, so that they are not deleted or joined meanwhile.
  return withClipSources(order, (sources) => {
    const turn = lastCut.then(() => cutAll({ order, sources, signal, progress }, target));
    // The caller of that turn gets its error; the next turn only waits for the end of this one.
    lastCut = turn.catch(() => undefined);
    return turn;
  });
}

interface Cutting {
  order: ClipOrder;
  /** One for each segment. */
  sources: ClipSource[];
  signal: AbortSignal;
  progress: ClipProgress;
}

async function cutAll({ order, sources, signal, progress }: Cutting, target: string): Promise<ClipSpan[]> {
  const isJoined = sources.length > 1;
  const lengths = sources.map(({ start, end }) => end - start);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const parts = isJoined ? sources.map((_, i) => `${target}.${i}`) : [target];
  const spans: ClipSpan[] = [];
  try {
    for (const [i, source] of sources.entries()) {
      const { in: begin, out } = order.segments[i]!;
      const before = lengths.slice(0, i).reduce((sum, length) => sum + length, 0);
      // One that begins at the keyframe before is longer than what was asked for.
      const onProgress = (done: number, length: number): void =>
        progress(before + Math.min(done, isJoined ? lengths[i]! : length), isJoined ? total : length);
      const start = await cut({ source, order, target: parts[i]!, isSegment: isJoined, signal }, onProgress);
      spans.push({ in: begin - (source.start - start), out });
    }
    if (isJoined) await join(parts, order, chosenTracks(sources[0]!, order.trackId), { target, signal });
    return spans;
  } finally {
    if (isJoined) await Promise.all(parts.map((part) => rm(part, { force: true })));
  }
}

interface OneCut {
  source: ClipSource;
  order: ClipOrder;
  target: string;
  /** It is joined with others afterwards. */
  isSegment: boolean;
  signal: AbortSignal;
}

/** Resolves with the second of the source at which it begins. */
async function cut({ source, order, target, isSegment, signal }: OneCut, progress: ClipProgress): Promise<number> {
  if (signal.aborted) throw givenUp();
  const tracks = chosenTracks(source, order.trackId);
  const text = listOf(source);
  const list = text === undefined ? undefined : `${target}.ffconcat`;
  try {
    if (list !== undefined) await writeFile(list, text!, { mode: 0o600 });
    const input = inputOf(list);
    const files = { files: source.pieces.map(({ fd }) => fd), access: { reads: list === undefined ? [] : [list] } };
    const [first] = tracks;
    const start =
      order.mode === 'keyframe' && first !== undefined
        ? await keyframeBefore(source, first, input, files)
        : source.start;
    const args = cutArgs(source, { mode: order.mode, start, isSegment }, tracks, input, target);
    await encode(args, { ...files, access: { ...files.access, writes: [target] }, signal }, (done) =>
      progress(Math.min(done, source.end - start), source.end - start),
    );
    return start;
  } finally {
    if (list !== undefined) await rm(list, { force: true });
  }
}

async function join(
  parts: readonly string[],
  { mode }: ClipOrder,
  tracks: Parameters<typeof joinArgs>[1],
  { target, signal }: Pick<OneCut, 'target' | 'signal'>,
): Promise<void> {
  if (signal.aborted) throw givenUp();
  const list = `${target}.ffconcat`;
  const handles: FileHandle[] = [];
  try {
    for (const part of parts) handles.push(await open(part, 'r'));
    await writeFile(list, joinList(parts.length), { mode: 0o600 });
    const access = { reads: [list], writes: [target] };
    const args = joinArgs(mode, tracks, list, target);
    await encode(args, { files: handles.map(({ fd }) => fd), access, signal }, () => undefined);
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
    await rm(list, { force: true });
  }
}

async function keyframeBefore(
  source: ClipSource,
  track: Parameters<typeof keyframeArgs>[1],
  input: readonly string[],
  files: RunOptions,
): Promise<number> {
  const outcome = await runMedia('ffprobe', keyframeArgs(source, track, input), { ...files, limitMs: PROBE_MS });
  if (outcome.code !== 0) throw refusal(outcome);
  return lastKeyframe(source, outcome.stdout) ?? source.start;
}

async function encode(args: string[], options: RunOptions, onProgress: (seconds: number) => void): Promise<void> {
  let farthest = 0;
  let hasMoved = false;
  const reader = new ProgressReader(({ outSeconds }) => {
    if (outSeconds <= farthest) return;
    farthest = outSeconds;
    hasMoved = true;
    onProgress(outSeconds);
  });
  const onOutput = (chunk: Buffer): boolean => {
    hasMoved = false;
    reader.push(chunk);
    return hasMoved;
  };
  // It resolves when ffmpeg has ended: its file must not appear again after the clean-up.
  const outcome = await runMedia('ffmpeg', args, {
    ...options,
    work: 'encode',
    limitMs: STALL_MS,
    onOutput,
    niceness: LOW_PRIORITY,
  });
  if (options.signal?.aborted === true) throw givenUp();
  if (outcome.code !== 0) throw refusal(outcome);
}

function givenUp(): AppError {
  return new AppError('timeout', 'The clip was given up; nothing of it is kept.');
}

function refusal({ failure, stderr }: Outcome): AppError {
  if (failure?.code === 'ENOENT') return new AppError('unavailable', 'Clips cannot be cut without ffmpeg. Install it.');
  if (stderr.includes('No space left'))
    return new AppError('unavailable', 'The storage for Assets is full. Delete Assets that are not needed.');
  const words =
    stderr
      .trim()
      .split('\n')
      .at(-1)
      ?.replaceAll(/file:\S+/gu, 'the file')
      .slice(0, 300) ?? '';
  const extras = words === '' ? {} : { upstream: words };
  return new AppError(
    'unavailable',
    'The clip could not be cut; ffmpeg failed. Try another in and out, or the other mode.',
    extras,
  );
}
