/** Logs that a process writes through an inherited descriptor. Their length is bounded when they are opened and while they grow. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, renameSync, statSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';

/** It is enough to show how trouble began; two such files for each run and the agent are nothing to a disk that holds recordings. */
const MAX_LOG_BYTES = 10 << 20;
/** Even 10 000 lines a second add only some 15 MB between two looks, each of which costs one fstat(2). */
const LOOK_MS = 5000;
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
const STDOUT = 1;
const STDERR = 2;

/**
 * Opens a file descriptor (O_APPEND, mode 0600) that a child process may write to; the caller closes it. A long log is moved to `<path>.1`
 * first. While the child writes, boundLog bounds the file. Throws the error of the filesystem.
 */
export function openLogFile(path: string): number {
  // Root opens it in a folder that may be another user's, who could put a link there.
  const open = (): number => openSync(path, APPEND, 0o600);
  const fd = open();
  if (fstatSync(fd).size < MAX_LOG_BYTES) return fd;
  closeSync(fd);
  renameSync(path, `${path}.1`);
  return open();
}

/**
 * Makes the log at `path` this process's stdout and stderr. open(2) gives the lowest free descriptor: the one that was just closed, as long
 * as stdin is open and nothing else opens files. Throws the error of the filesystem.
 */
export function writeLogTo(path: string): void {
  for (const fd of [STDOUT, STDERR]) {
    closeSync(fd);
    openLogFile(path);
  }
}

/**
 * Keeps the log at `path` short for as long as `fd` is it: this process's stderr, unless another one is named. The timer holds up no exit;
 * the returned function ends it.
 */
export function boundLog(path: string, fd = STDERR): () => void {
  const timer = setInterval(() => void shortenLog(path, fd), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Copies a long log to `<path>.1` and empties it: a process that inherited the descriptor cannot be given another file. Writers append, so
 * they go on at the new end. Nothing happens when `fd` is a terminal, a pipe or another file. Never rejects.
 */
export async function shortenLog(path: string, fd: number): Promise<void> {
  try {
    const file = fstatSync(fd, { bigint: true });
    if (!file.isFile() || file.size < MAX_LOG_BYTES) return;
    const target = statSync(path, { bigint: true });
    if (target.dev !== file.dev || target.ino !== file.ino) return;
    // On a full disk, free space counts more than the old lines.
    await copyFile(path, `${path}.1`).catch(() => rm(`${path}.1`, { force: true }));
    ftruncateSync(fd, 0);
  } catch {
    // stderr is closed or the run directory is gone; the next look tries again.
  }
}
