/** A pipe of which both ends are descriptors of this process; those of the pipes that Node makes for a child are hidden in its streams. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';

export interface PipeEnds {
  readEnd: number;
  writeEnd: number;
}

/**
 * Node has no call for it: the pipe is a named one, fifo(7), at `path` for this moment. Who reads the end waits for media where `isWaiting` says
 * so, as most programs do; this process never waits. Throws the errors of the filesystem.
 */
export function openPipe(path: string, isWaiting = false): PipeEnds {
  rmSync(path, { force: true });
  execFileSync('mkfifo', ['-m', '600', '--', path], { stdio: 'ignore' });
  // A reader that does not wait for a writer comes first; the writer, which finds one, does not wait either.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeEnd = openSync(path, constants.O_WRONLY);
    if (!isWaiting) return { readEnd, writeEnd };
    const ends = { readEnd: openSync(path, constants.O_RDONLY), writeEnd };
    closeSync(readEnd);
    return ends;
  } catch (error) {
    closeSync(readEnd);
    throw error;
  } finally {
    rmSync(path, { force: true });
  }
}
