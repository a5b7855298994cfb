/**
 * The kernel's lock on a file of ours, flock(2). The lock belongs to the open file and not to a process, so the program `flock` of
 * util-linux can take it for this process, on a descriptor that it inherits. Node itself has no call for it.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { AppError } from '../domain/base/errors.ts';

export const LOCK_PROGRAM = 'flock';
/** Exit code of `flock -n` when another process has the lock; its errors are above 63. */
const HELD = 1;

/**
 * Returns the function that releases the lock, or undefined when another process has it. The kernel frees the lock with its holder, however
 * that one ends. The file has mode 0600, since whoever may open it may lock it. It stays: removing it could remove one that was just
 * locked. Throws AppError unavailable when there is no `flock`, or when the filesystem refuses such locks.
 */
export function lockFile(path: string): (() => void) | undefined {
  // The file is opened for writing too, since NFS locks nothing else.
  const fd = openSync(path, 'a+', 0o600);
  const { status, error, stderr } = spawnSync(LOCK_PROGRAM, ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', fd],
    encoding: 'utf8',
  });
  if (status === 0) return () => closeSync(fd);
  closeSync(fd);
  if (status === HELD) return undefined;
  const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  const why = isMissing
    ? 'there is no program flock here'
    : stderr?.trim() || error?.message || `flock ended (${status})`;
  const remedy = isMissing
    ? 'Install util-linux, which has it.'
    : 'Choose a folder on a file system with locks (flock).';
  throw new AppError('unavailable', `The lock ${path} cannot be taken: ${why}. ${remedy}`, { cause: error });
}
