/** Cuts clips out of Recordings with ffmpeg, one after the other and at the lowest priority, so that broadcasts go first. */
import { rm, writeFile } from 'node:fs/promises';
import type { ClipOrder } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import { chosenTracks, cutArgs, inputOf, keyframeArgs, lastKeyframe, listOf } from './clip-args.ts';
import { withClipSource, type ClipSource } from './clip-source.ts';
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
 * Writes the clip to `target` and resolves with the second of the Recording at which it begins: `in`, or the keyframe before it. Rejects
 * with AppError rule_violated (beyond the end, no such track), unavailable, or timeout when `signal` fires; the caller removes the file
 * then.
 */
export function cutClip(
  order: ClipOrder,
  target: string,
  signal: AbortSignal,
  progress: ClipProgress,
): Promise<number> {
  // The files are opened before the turn comes, so that they are not deleted or joined meanwhile.
  return withClipSource(order, (source) => {
    const turn = lastCut.then(() => cut(source, order, target, signal, progress));
    // The caller of that turn gets its error; the next turn only waits for the end of this one.
    lastCut = turn.catch(() => undefined);
    return turn;
  });
}

async function cut(
  source: ClipSource,
  order: ClipOrder,
  target: string,
  signal: AbortSignal,
  progress: ClipProgress,
): Promise<number> {
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
    const args = cutArgs(source, { mode: order.mode, start }, tracks, input, target);
    await encode(args, { ...files, access: { ...files.access, writes: [target] }, signal }, (done) =>
      progress(Math.min(done, source.end - start), source.end - start),
    );
    return order.in - (source.start - start);
  } finally {
    if (list !== undefined) await rm(list, { force: true });
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
