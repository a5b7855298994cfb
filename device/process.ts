/**
 * Processes by identity, not by number alone: the kernel hands out a pid again, but never the same pid with the same start time
 * within one boot (proc(5), /proc/<pid>/stat field 22, in clock ticks since boot). Nothing here signals a process that it cannot
 * tell from a later one.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProcessId {
  pid: number;
  startTicks: number;
}

let knownBootId: string | undefined;

/** New at each boot: a pid of an earlier boot says nothing about the processes of this one. */
export function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return knownBootId;
}

/** Start time of a living process; undefined when there is none. A zombie has ended: only its parent has not asked yet. */
export function startTicksOf(pid: number): number | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  return parseStartTicks(stat);
}

/** Field 2 is the program's name in brackets and may hold spaces and brackets itself: fields count from the last `)`. */
export function parseStartTicks(stat: string): number | undefined {
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const ticks = Number(rest[18]);
  return Number.isSafeInteger(ticks) ? ticks : undefined;
}

/**
 * Processor time of all its threads so far, in clock ticks; undefined when there is no such process. `wantsMore`: it would run this
 * moment, and may be waiting for a processor (proc(5), fields 3, 14 and 15).
 */
export function processorUse(pid: number): { ticks: number; wantsMore: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { ticks: Number(rest[10]) + Number(rest[11]), wantsMore: state === 'R' };
  } catch {
    return undefined;
  }
}

/** Whether somebody has stopped it (SIGSTOP, or a debugger's hand): it lives and does nothing. */
export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[Tt]/u.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

export function isAlive(pid: number, startTicks: number): boolean {
  return startTicksOf(pid) === startTicks;
}

/** Identity of a process that runs now. */
export function identify(pid: number): ProcessId | undefined {
  const startTicks = startTicksOf(pid);
  return startTicks === undefined ? undefined : { pid, startTicks };
}

/**
 * Signals that very process; false when it has ended. Between check and signal lie microseconds, and the kernel gives a pid out
 * again only after all others: the race is not closed (Node has no pidfd), but cannot be met in practice.
 */
export function killExact(pid: number, startTicks: number, signal: NodeJS.Signals): boolean {
  if (!isAlive(pid, startTicks)) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * Resolves with those still alive: none, or what is left after `timeoutMs`. Asks /proc every 20 ms: the processes are not
 * always our children, so no exit event tells.
 */
export async function waitForEnd(processes: readonly ProcessId[], timeoutMs: number): Promise<ProcessId[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = processes.filter(({ pid, startTicks }) => isAlive(pid, startTicks));
    if (left.length === 0 || performance.now() >= deadline) return left;
    await delay(20);
  }
}

/** One signal to each, then a wait. Answers those still alive. */
export async function signalAndWait(
  processes: readonly ProcessId[],
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<ProcessId[]> {
  for (const { pid, startTicks } of processes) killExact(pid, startTicks, signal);
  return waitForEnd(processes, timeoutMs);
}
