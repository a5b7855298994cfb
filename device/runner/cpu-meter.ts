/** Measures how much CPU time a run takes, from /proc: that of its children, and its share of this process. */
import { readdirSync, readFileSync } from 'node:fs';

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

/** Sums utime and stime (proc(5), fields 14 and 15). Field 2 may hold spaces and brackets, so fields count from the last `)`. */
export function parseCpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 13).reduce((sum, field) => sum + (Number(field) || 0), 0);
}

/** Undefined when the process has ended. */
function ticksOf(pid: number): number | undefined {
  try {
    return parseCpuTicks(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Nanoseconds in which the threads of a process have computed or waited for a processor, which they also do while their control group is held
 * back. Undefined when the process has ended, or the kernel does not count it.
 */
export function wantedNanoseconds(pid: number): number | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const spent = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' '));
    return spent.reduce((sum, [computed, waited]) => sum + Number(computed) + Number(waited), 0);
  } catch {
    return undefined;
  }
}

const LOOK_MS = 1000;
/** So many looks in a row must find a core in full use: a start alone shows one or two. */
const FULL_LOOKS = 5;
const FULL_TICKS = 0.93 * TICKS_PER_SECOND;

/** Calls `onFull` once when a process has been using all of a core for some seconds. The function that is returned ends the watch. */
export function watchFullCore(pid: number, onFull: () => void): () => void {
  let [before, looks] = [ticksOf(pid) ?? 0, 0];
  const timer = setInterval(() => {
    const now = ticksOf(pid) ?? 0;
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
  private readonly sharers: () => number;
  private readonly read: (pid: number) => number | undefined;
  private readonly samples: Sample[] = [];
  private known = new Map<number, number>();
  private spent = 0;
  /** Cores, as a mean of the last 10 s or a little more; undefined during the first 10 s. */
  cores: number | undefined;

  /** `sharers` answers how many runs this process carries out; `read` the ticks of a process so far. */
  constructor(sharers: () => number = () => 1, read = ticksOf) {
    this.sharers = sharers;
    this.read = read;
  }

  /** It takes some 20 µs a process and is called every second or two. `nowMs` is monotonic. */
  sample(nowMs: number, children: readonly number[]): void {
    const before = this.known;
    this.known = new Map();
    for (const pid of [process.pid, ...children]) {
      const ticks = this.read(pid);
      if (ticks === undefined) continue;
      this.known.set(pid, ticks);
      const isOwn = pid === process.pid;
      // A child is measured from its start. What this process took before the run is not the run's.
      const spent = ticks - (before.get(pid) ?? (isOwn ? ticks : 0));
      this.spent += isOwn ? spent / this.sharers() : spent;
    }
    const { samples } = this;
    const newest = { atMs: nowMs, ticks: this.spent };
    samples.push(newest);
    while (samples.length > 2 && nowMs - samples[1]!.atMs >= WINDOW_MS) samples.shift();
    const oldest = samples[0]!;
    const ms = nowMs - oldest.atMs;
    if (ms >= WINDOW_MS)
      this.cores = Number((((newest.ticks - oldest.ticks) * 1000) / TICKS_PER_SECOND / ms).toFixed(3));
  }
}
