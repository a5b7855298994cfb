/** Measures the CPU that calls cost the processes which answer them. Rounds of several servers alternate, so that all see the same machine. */
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { median } from './figures.ts';

export interface Target {
  /** All processes that a call keeps busy; each answers any message with its `process.cpuUsage()`. */
  processes: readonly ChildProcess[];
  call(): Promise<unknown>;
}

const ROUNDS = 20;
const CALLS_A_ROUND = 320;
const WARM_UP = 1200;
const PARALLEL = 8;

/** Answers microseconds a call by process, from the median round of each target. */
export async function cpuPerCall<K extends string>(targets: Record<K, Target>): Promise<Record<K, number[]>> {
  const all = Object.entries(targets) as [K, Target][];
  for (const [, target] of all) await run(target, WARM_UP);
  const rounds = Object.fromEntries(all.map(([name]) => [name, []])) as unknown as Record<K, number[][]>;
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, target] of all) rounds[name].push(await run(target, CALLS_A_ROUND));
  const medians = all.map(([name, { processes }]) => [
    name,
    processes.map((_, at) => median(rounds[name].map((spent) => spent[at] ?? Number.NaN)) / CALLS_A_ROUND),
  ]);
  return Object.fromEntries(medians) as Record<K, number[]>;
}

export const ROUNDS_NOTE = `medians of ${ROUNDS} alternating rounds of ${CALLS_A_ROUND} calls, ${PARALLEL} at a time`;

async function run({ processes, call }: Target, calls: number): Promise<number[]> {
  const before = await Promise.all(processes.map(cpuOf));
  const worker = async (): Promise<void> => {
    for (let done = 0; done < calls / PARALLEL; done += 1) await call();
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const after = await Promise.all(processes.map(cpuOf));
  return after.map((spent, at) => spent - (before[at] ?? 0));
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return user + system;
}

/** USER_HZ on every Linux that Node runs on. */
const TICKS = 100;

/** Processor seconds of a process, and of its children that have ended (proc(5), fields 14 to 17). Throws when it has ended itself. */
export function processorTimes(pid: number): { own: number; children: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /u, '')
    .split(' ');
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS);
  return { own: user! + system!, children: childUser! + childSystem! };
}

/** Both together; 0 of one that has ended. */
export function processorSeconds(pid: number): number {
  try {
    const { own, children } = processorTimes(pid);
    return own + children;
  } catch {
    // Its time is counted in its parent's.
    return 0;
  }
}
