/** The processor time of a process, as the kernel counts it. */
import { readFileSync } from 'node:fs';

/** USER_HZ on every Linux that Node runs on. */
const TICKS = 100;

/** Answers the processor seconds of a process and of its children that have ended (proc(5), fields 14 to 17). */
export function processorSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /u, '')
      .split(' ');
    return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) / TICKS;
  } catch {
    // The process has ended, and its time is counted in its parent's.
    return 0;
  }
}
