/** Measures how much CPU time this process and its children take, from /proc. */
import { readFileSync } from 'node:fs';

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/**
 * The mean is over this time and less than two seconds more: long enough for whole groups of pictures, short enough to see a new rendition.
 */
const WINDOW_MS = 10_000;

interface Sample {
  atMs: number;
  ticks: number;
}

/**
 * Sums utime, stime, cutime and cstime (proc(5), fields 14 to 17). Field 2 may hold spaces and brackets, so fields count from the last `)`.
 */
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

const LOOK_MS = 1000;
/** So many looks in a row must find a core in full use: a start alone shows one or two. */
const FULL_LOOKS = 5;
const FULL_TICKS = 0.93 * TICKS_PER_SECOND;

/** Calls `onFull` once when a process has been using all of a core for some seconds. The function that is returned ends the watch. */
export function watchFullCore(pid: number, onFull: () => void): () => void {
  let [before, looks] = [ticksOf(pid), 0];
  const timer = setInterval(() => {
    const now = ticksOf(pid);
    looks = now - before >= FULL_TICKS ? looks + 1 : 0;
    before = now;
    if (looks < FULL_LOOKS) return;
    clearInterval(timer);
    onFull();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export class CpuMeter {
  private readonly read: (children: readonly number[]) => number;
  private readonly samples: Sample[] = [];
  /** Cores, as a mean of the last 10 s or a little more; undefined during the first 10 s. */
  cores: number | undefined;

  /** `read` returns the ticks of this process and of these children, those that have ended included. */
  constructor(
    read = (children: readonly number[]): number =>
      [...children, 'self' as const].map(ticksOf).reduce((a, b) => a + b, 0),
  ) {
    this.read = read;
  }

  /** It takes some 20 µs a process and is called every second or two. `nowMs` is monotonic. */
  sample(nowMs: number, children: readonly number[]): void {
    const { samples } = this;
    const newest = { atMs: nowMs, ticks: this.read(children) };
    // A child that has just ended and was not waited for yet is missing for a moment.
    if (newest.ticks < (samples.at(-1)?.ticks ?? 0)) return;
    samples.push(newest);
    while (samples.length > 2 && nowMs - samples[1]!.atMs >= WINDOW_MS) samples.shift();
    const oldest = samples[0]!;
    const ms = nowMs - oldest.atMs;
    if (ms >= WINDOW_MS)
      this.cores = Number((((newest.ticks - oldest.ticks) * 1000) / TICKS_PER_SECOND / ms).toFixed(3));
  }
}
