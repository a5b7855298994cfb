/** Free space of a file system, and blocks that a file gets before anything is written to them. */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isShortage } from '../domain/base/absent.ts';

export interface DiskSpace {
  /** Bytes that an unprivileged process may still write; blocks reserved for root do not count. */
  free_bytes: number;
  size_bytes: number;
}

/** Rejects with the error of statfs(2). */
export async function diskSpaceOf(dir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { free_bytes: bavail * bsize, size_bytes: blocks * bsize };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/** `unable` means that this file system, or this machine, cannot do it; `later`, that no descriptor or memory was free to try. */
export type Allotment =
  { outcome: 'done' } | { outcome: 'full' } | { outcome: 'later' } | { outcome: 'unable'; reason: string };

const FULL = /No space left|Disk quota exceeded/u;

/**
 * Gives a file the blocks of a range beyond its end; its length stays (fallocate(2), FALLOC_FL_KEEP_SIZE), so no reader sees them. Node has
 * no call for it, so the program of util-linux does it, in the language in which its errors are known.
 */
export async function allot(path: string, from: number, length: number): Promise<Allotment> {
  const range = ['-n', '-o', String(from), '-l', String(length), '--', path];
  try {
    await promisify(execFile)('env', ['LC_ALL=C', 'fallocate', ...range]);
    return { outcome: 'done' };
  } catch (error) {
    if (isShortage(error)) return { outcome: 'later' };
    const { stderr = '', message } = error as Error & { stderr?: string };
    if (FULL.test(stderr)) return { outcome: 'full' };
    return { outcome: 'unable', reason: stderr.trim() || message };
  }
}
