import { readFileSync } from 'node:fs';

/**
 * Bytes that a process has read so far (proc(5), /proc/<pid>/io). Counts read() on files and pipes; what comes by recv() from a
 * socket is not in it, so the rate of a network source reads 0 unless its protocol reads otherwise.
 */
export function bytesRead(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    return Number(/^rchar: (\d+)/mu.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
