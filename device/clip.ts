/** Cuts clips out of Recordings with ffmpeg, one after the other and at the lowest priority: whatever is on air goes first. */
import { execFile, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { promisify } from 'node:util';
import type { ClipOrder } from '../domain/control.ts';
import { AppError } from '../domain/errors.ts';
import { chosenTracks, cutArgs, inputOf, keyframeArgs, lastKeyframe, listOf } from './clip-args.ts';
import { withClipSource, type ClipSource } from './clip-source.ts';
import { ProgressReader } from './media/progress.ts';

export type ClipProgress = (doneSeconds: number, totalSeconds: number) => void;

/** The index of a day's fragments takes seconds to read, a group of pictures less to decode. */
const STALL_MS = 60_000;
const PROBE_MS = 60_000;
const IDLE_PRIORITY = 19;

let before: Promise<unknown> = Promise.resolve();

/**
 * Writes the clip to `target` and answers where it begins in the Recording, in seconds: at `in`, or at the keyframe before it. Rejects with
 * AppError: rule_violated (beyond the end, no such track), unavailable, timeout when `signal` fires; the caller removes the file then.
 */
export function cutClip(
  order: ClipOrder,
  target: string,
  signal: AbortSignal,
  progress: ClipProgress,
): Promise<number> {
  // Opened before its turn comes: what it was promised is not deleted or joined meanwhile.
  return withClipSource(order, (source) => {
    const turn = before.then(() => cut(source, order, target, signal, progress));
    before = turn.catch(() => undefined);
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
    const input = inputOf(source, list);
    const [first] = tracks;
    const start =
      order.mode === 'keyframe' && first !== undefined ? await keyframeBefore(source, first, input) : source.start;
    const args = cutArgs(source, { mode: order.mode, start }, tracks, input, target);
    await runFfmpeg(args, signal, (done) => progress(Math.min(done, source.end - start), source.end - start));
    return order.in - (source.start - start);
  } finally {
    if (list !== undefined) await rm(list, { force: true });
  }
}

async function keyframeBefore(
  source: ClipSource,
  track: Parameters<typeof keyframeArgs>[1],
  input: readonly string[],
): Promise<number> {
  const args = keyframeArgs(source, track, input);
  const limits = { timeout: PROBE_MS, killSignal: 'SIGKILL', maxBuffer: 4 << 20 } as const;
  const { stdout } = await promisify(execFile)(process.env.ONAIR_FFPROBE ?? 'ffprobe', args, limits);
  return lastKeyframe(source, stdout) ?? source.start;
}

function runFfmpeg(args: string[], signal: AbortSignal, onProgress: (seconds: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.env.ONAIR_FFMPEG ?? 'ffmpeg', args, {
      ...{ stdio: ['ignore', 'pipe', 'pipe'], killSignal: 'SIGKILL', signal },
    });
    const stalled = setTimeout(() => child.kill('SIGKILL'), STALL_MS);
    let farthest = 0;
    const reader = new ProgressReader(({ outSeconds }) => {
      if (outSeconds <= farthest) return;
      farthest = outSeconds;
      stalled.refresh();
      onProgress(outSeconds);
    });
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => reader.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString('utf8')}`.slice(-2000)));
    let failure: NodeJS.ErrnoException | undefined;
    child.once('error', (error) => (failure = error));
    // Not before it has ended: what it writes must not appear again behind who clears up.
    child.once('close', (code) => {
      clearTimeout(stalled);
      if (signal.aborted) reject(givenUp());
      else if (code === 0) resolve();
      else reject(refusal(failure, said));
    });
    yieldToOthers(child.pid);
  });
}

function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, IDLE_PRIORITY);
  } catch {
    // It has ended already.
  }
}

function givenUp(): AppError {
  return new AppError('timeout', 'The clip was given up; nothing of it is kept.');
}

function refusal(failure: NodeJS.ErrnoException | undefined, said: string): AppError {
  if (failure?.code === 'ENOENT') return new AppError('unavailable', 'Clips cannot be cut without ffmpeg. Install it.');
  if (said.includes('No space left'))
    return new AppError('unavailable', 'The storage for Assets is full. Delete Assets that are not needed.');
  const words =
    said
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
