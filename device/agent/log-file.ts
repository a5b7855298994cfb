import { closeSync, fstatSync, openSync, renameSync } from 'node:fs';

/** A runner says little unless it is in trouble; a month of trouble must not fill the disk that recordings need. */
const MAX_LOG_BYTES = 10 << 20;

/** A file descriptor that a child process may write to; the caller closes it. A log that has grown long becomes `<path>.1`. */
export function openLogFile(path: string): number {
  const open = (): number => openSync(path, 'a', 0o600);
  const fd = open();
  if (fstatSync(fd).size < MAX_LOG_BYTES) return fd;
  closeSync(fd);
  renameSync(path, `${path}.1`);
  return open();
}
