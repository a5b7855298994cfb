/** An ffmpeg that makes one picture and ends: bounded in time and in what it gives. */
import { AppError } from '../../../domain/errors.ts';
import type { ChildProcesses } from './child-processes.ts';

export interface OneShot {
  /** For the log. */
  name: string;
  args: readonly string[];
  /** The file that it reads. */
  reads?: string;
  /** Written to its stdin. */
  input?: Uint8Array;
  limitMs: number;
  maxBytes: number;
}

/** It has given none: `message` in words of ours, `upstream` what it said, redacted. */
export class StillError extends Error {
  readonly upstream: string | undefined;

  constructor(message: string, upstream?: string) {
    super(message);
    this.upstream = upstream;
  }
}

/** What it wrote to stdout. Throws AppError timeout, and NoPicture. */
export async function runOneShot(children: ChildProcesses, shot: OneShot): Promise<Buffer> {
  const { name, args, reads, input, limitMs, maxBytes } = shot;
  const access = { reads: reads === undefined ? [] : [reads] };
  const child = children.spawn(name, args, { feed: input !== undefined, access });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let late = false;
  child.output(1)?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  if (input !== undefined) child.input(0).end(input);
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, limitMs);
  const { code, signal } = await child.ended;
  clearTimeout(timer);
  if (late) throw new AppError('timeout', `The ${name} was not ready within ${limitMs / 1000} s.`);
  if (bytes > maxBytes) throw new StillError(`ffmpeg gave more than ${maxBytes} bytes`);
  if (code !== 0) throw new StillError(`ffmpeg ended with ${signal ?? `exit code ${code}`}`, child.lastStderr);
  return Buffer.concat(chunks);
}
