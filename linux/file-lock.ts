/**
 * The kernel's lock on a file of ours, flock(2). The lock belongs to the open file and not to who asked for it: so the program `flock` of
 * util-linux can take it for this process, on a descriptor that it inherits, for Node itself has no call for it.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';

/** The answer of `flock -n` when another has the lock; its errors are above 63. */
const HELD = 1;

/**
 * Answers how to let go, or undefined when another process has it. The kernel frees it with its holder, however that one ends. The file
 * has mode 0600, since whoever may open it may lock it, and it stays: who removed it could remove one that was just locked.
 * Throws AppError unavailable when there is no `flock`, or when the file system refuses such locks.
 */
export function lockFile(path: string): (() => void) | undefined {
  // For writing too: NFS locks nothing else.
  const fd = openSync(path, 'a+', 0o600);
  const { status, error, stderr } = spawnSync('flock', ['-n', '3'], {
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
