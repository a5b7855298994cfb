/** Logs that a process writes through an inherited descriptor: their length is bounded when they are opened and while they grow. */
import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, statSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';

/** Enough to see how trouble began; two of them a run and the agent are nothing to the disk that recordings need. */
const MAX_LOG_BYTES = 10 << 20;
/** Between two looks (one fstat(2)) even 10 000 lines a second are some 15 MB. */
const LOOK_MS = 5000;
const STDOUT = 1;
const STDERR = 2;

/**
 * A file descriptor (O_APPEND, mode 0600) that a child process may write to; the caller closes it. A log that has grown long becomes
 * `<path>.1`. It is not bounded by this alone while the child writes: see boundLog. Throws what the filesystem says.
 */
export function openLogFile(path: string): number {
  const open = (): number => openSync(path, 'a', 0o600);
  const fd = open();
  if (fstatSync(fd).size < MAX_LOG_BYTES) return fd;
  closeSync(fd);
  renameSync(path, `${path}.1`);
  return open();
}

/**
 * Makes the log at `path` this process's stdout and stderr. open(2) gives the lowest descriptor that is free: the one just closed, as
 * long as stdin is open and nothing else opens files. Throws what the filesystem says.
 */
export function writeLogTo(path: string): void {
  for (const fd of [STDOUT, STDERR]) {
    closeSync(fd);
    openLogFile(path);
  }
}

/** Keeps this process's stderr short for as long as it is the log at `path`. Holds up no exit; the answer ends it. */
export function boundLog(path: string): () => void {
  const timer = setInterval(() => void shortenLog(path, STDERR), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Empties a long log after its content was copied to `<path>.1`: who inherited a descriptor cannot be given another file. Writers
 * append, so they go on at the new end. Nothing happens when `fd` is a terminal, a pipe or another file. Never rejects.
 */
export async function shortenLog(path: string, fd: number): Promise<void> {
  try {
    const open = fstatSync(fd, { bigint: true });
    if (!open.isFile() || open.size < MAX_LOG_BYTES) return;
    const named = statSync(path, { bigint: true });
    if (named.dev !== open.dev || named.ino !== open.ino) return;
    // On a full disk the room counts more than what was said.
    await copyFile(path, `${path}.1`).catch(() => rm(`${path}.1`, { force: true }));
    ftruncateSync(fd, 0);
  } catch {
    // A closed stderr or a removed run directory; looked at again.
  }
}
