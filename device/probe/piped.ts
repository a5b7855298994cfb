/** Runs ffmpeg or ffprobe over media on its stdin, with pipes for its results. */
import type { Readable } from 'node:stream';
import { launch, type Sandbox } from '../ffmpeg/launch.ts';
import type { MediaProgram } from '../ffmpeg/programs.ts';

export interface PipedOptions {
  sandbox: Sandbox;
  /** It is ended with SIGKILL then, and what it has given counts. */
  limitMs: number;
  /** Number of its descriptors, fd 0 to 2 among them. */
  fds?: number;
}

/** Bytes of one result: a minute of raw stereo sound, and far more than a list of packets. */
const MAX_RESULT = 24 << 20;

/** Resolves with what it has written, by descriptor from 1 on. Never rejects: a program that fails gives nothing. */
export async function runPiped(
  name: MediaProgram,
  args: readonly string[],
  input: Buffer | Readable,
  { sandbox, limitMs, fds = 3 }: PipedOptions,
): Promise<Buffer[]> {
  const child = launch(name, args, {
    stdio: Array.from({ length: fds }, () => 'pipe' as const),
    work: 'read',
    sandbox,
  });
  const results: Buffer[][] = Array.from({ length: fds }, () => []);
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  child.stdio.slice(1).forEach((pipe, at) => {
    let bytes = 0;
    pipe?.on('error', () => undefined);
    (pipe as Readable | null)?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_RESULT) child.kill('SIGKILL');
      else results[at + 1]!.push(chunk);
    });
  });
  // A program that has seen enough closes its input.
  child.stdin?.on('error', () => undefined);
  if (Buffer.isBuffer(input)) child.stdin?.end(input);
  else {
    // A source that breaks off ends the input.
    input.on('error', () => child.stdin?.end());
    input.pipe(child.stdin!);
  }
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  clearTimeout(timer);
  return results.map((chunks) => Buffer.concat(chunks));
}
