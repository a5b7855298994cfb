/** The kernel's limit of what a socket keeps until its process reads it. */
import { readFileSync } from 'node:fs';

let limit: number | undefined;

/** The most bytes that SO_RCVBUF may be set to, socket(7); 0 where it is not known. A new value counts from the next start of the process. */
export function maxReceiveBytes(): number {
  limit ??= read();
  return limit;
}

function read(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/rmem_max', 'utf8')) || 0;
  } catch {
    // A container may hide it.
    return 0;
  }
}
