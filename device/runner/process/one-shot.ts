/** Runs an ffmpeg that makes one still and ends, bounded in time and in bytes. */
import { withDeadline } from '../../../domain/time/deadline.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { ChildProcesses } from './child-processes.ts';

export interface OneShot {
  /** It stands in the log. */
  name: string;
  args: readonly string[];
  reads?: string;
  /** Bytes for its stdin. */
  input?: Uint8Array;
  limitMs: number;
  maxBytes: number;
}

/** ffmpeg has made no still: `message` says so in our words, `upstream` is its stderr without secrets. */
export class StillError extends Error {
  readonly upstream: string | undefined;

  constructor(message: string, upstream?: string) {
    super(message);
    this.upstream = upstream;
  }
}

/** Resolves with stdout. Throws AppError timeout, and StillError. */
export async function runOneShot(children: ChildProcesses, shot: OneShot): Promise<Buffer> {
  const { name, args, reads, input, limitMs, maxBytes } = shot;
  const access = { reads: reads === undefined ? [] : [reads] };
  const child = children.spawn(name, args, { feed: input !== undefined, access });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.output(1)?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  if (input !== undefined) child.input(0).end(input);
  const { code, signal } = await withDeadline(child.ended, limitMs, async () => {
    child.kill('SIGKILL');
    // It may still read `input`, whose owner uses it again once this call is over.
    await child.ended;
    throw new AppError('timeout', `The ${name} was not ready within ${limitMs / 1000} s.`);
  });
  if (bytes > maxBytes) throw new StillError(`ffmpeg gave more than ${maxBytes} bytes`);
  if (code !== 0) throw new StillError(`ffmpeg ended with ${signal ?? `exit code ${code}`}`, child.lastStderr);
  return Buffer.concat(chunks);
}
