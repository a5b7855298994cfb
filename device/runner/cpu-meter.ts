/** What the run takes of the machine: CPU time of this process and its children, from /proc. */
import { readFileSync } from 'node:fs';

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/** The mean is over this and less than two more: long enough for whole groups of pictures, short enough to see a new rendition. */
const WINDOW_MS = 10_000;

interface Sample {
  atMs: number;
  ticks: number;
}

/** proc(5): utime, stime, cutime and cstime, fields 14 to 17; field 2 may hold spaces and brackets, so they count from the last `)`. */
export function parseCpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + (Number(field) || 0), 0);
}

function ticksOf(pid: number | 'self'): number {
  try {
    return parseCpuTicks(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It has ended: its time is in our own cutime and cstime.
    return 0;
  }
}

export class CpuMeter {
  private readonly read: (children: readonly number[]) => number;
  private readonly samples: Sample[] = [];
  /** Cores, mean of the last 10 s or a little more; undefined until they are over. */
  cores: number | undefined;

  /** `read` answers ticks of this process and the children given, those that have ended included. */
  constructor(
    read = (children: readonly number[]): number =>
      [...children, 'self' as const].map(ticksOf).reduce((a, b) => a + b, 0),
  ) {
    this.read = read;
  }

  /** Some 20 µs a process; called every second or two. `nowMs` is monotonic. */
  sample(nowMs: number, children: readonly number[]): void {
    const { samples } = this;
    const newest = { atMs: nowMs, ticks: this.read(children) };
    // A child that ended a moment ago and was not waited for yet is missing for that moment.
    if (newest.ticks < (samples.at(-1)?.ticks ?? 0)) return;
    samples.push(newest);
    while (samples.length > 2 && nowMs - samples[1]!.atMs >= WINDOW_MS) samples.shift();
    const oldest = samples[0]!;
    const ms = nowMs - oldest.atMs;
    if (ms >= WINDOW_MS)
      this.cores = Number((((newest.ticks - oldest.ticks) * 1000) / TICKS_PER_SECOND / ms).toFixed(3));
  }
}
