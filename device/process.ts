/**
 * Processes by identity and not by number alone. The kernel hands out a pid again, but never the same pid with the same start time within
 * one boot (proc(5), /proc/<pid>/stat field 22, in clock ticks since boot). Nothing here signals a process that it cannot tell from a later
 * one.
 */
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isAbsent } from '../domain/base/absent.ts';
import { readText } from './read-text.ts';

export interface ProcessId {
  pid: number;
  startTicks: number;
}

let knownBootId: string | undefined;

/** The id is new at each boot: a pid of an earlier boot says nothing about the processes of this one. */
export function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return knownBootId;
}

/** Milliseconds since the machine was booted, from /proc/uptime: they count on while it is suspended, and are the same for all processes. */
export function bootMs(): number {
  return Math.round(uptime() * 1000);
}

/**
 * Start time of a living process in clock ticks; undefined when there is none. A zombie counts as ended: its parent has only not waited for
 * it yet. Throws when the kernel does not say.
 */
export function startTicksOf(pid: number): number | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const stat = statOf(pid);
  return stat === undefined ? undefined : parseStartTicks(stat);
}

function statOf(pid: number): string | undefined {
  try {
    return readText(`/proc/${pid}/stat`);
  } catch (error) {
    // The file goes with the process, and everybody may read it while that lives.
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Undefined also where it cannot be read: for questions whose answer may be late. */
function seenStatOf(pid: number): string | undefined {
  try {
    return statOf(pid);
  } catch {
    // The next look may say more.
    return undefined;
  }
}

/**
 * The fields of /proc/<pid>/stat from the third on. The second is the program's name in brackets and may contain spaces and brackets itself,
 * so fields are counted from the last `)`.
 */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function parseStartTicks(stat: string): number | undefined {
  const [state, ...rest] = fieldsOf(stat);
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const ticks = Number(rest[18]);
  return Number.isSafeInteger(ticks) ? ticks : undefined;
}

/** Tells a process that hangs from one that is late: a late one uses a processor, or waits for one. */
export class ProcessorWatch {
  private readonly pid: number;
  private ticks: number | undefined;
  private usedAt = performance.now();

  constructor(pid: number) {
    this.pid = pid;
    this.ticks = processorUse(pid)?.ticks;
  }

  /** Milliseconds for which no look has seen it use a processor or wait for one. */
  idleMs(): number {
    const now = performance.now();
    const use = processorUse(this.pid);
    if (use?.wantsMore === true || use?.ticks !== this.ticks) this.usedAt = now;
    this.ticks = use?.ticks;
    return now - this.usedAt;
  }
}

/**
 * Processor time of all threads so far, in clock ticks; undefined when there is none, or it cannot be seen. `wantsMore` means that the process could
 * run at this moment, and may be waiting for a processor (proc(5), fields 3, 14 and 15).
 */
function processorUse(pid: number): { ticks: number; wantsMore: boolean } | undefined {
  const stat = seenStatOf(pid);
  if (stat === undefined) return undefined;
  const [state, ...rest] = fieldsOf(stat);
  return { ticks: Number(rest[10]) + Number(rest[11]), wantsMore: state === 'R' };
}

/** Tells whether the process was stopped by SIGSTOP or a debugger: it lives and does nothing. */
export function isStopped(pid: number): boolean {
  const stat = seenStatOf(pid);
  return stat !== undefined && /^[Tt]/u.test(fieldsOf(stat)[0] ?? '');
}

/** A process of which nothing can be read counts as alive until its number is free: that question needs no descriptor. */
export function isAlive(pid: number, startTicks: number): boolean {
  try {
    return startTicksOf(pid) === startTicks;
  } catch {
    return isTaken(pid);
  }
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !isAbsent(error);
  }
}

/** Identity of a living process. */
export function identify(pid: number): ProcessId | undefined {
  const startTicks = startTicksOf(pid);
  return startTicks === undefined ? undefined : { pid, startTicks };
}

/**
 * Signals that very process; false when it has ended, or cannot be told from a later one. Microseconds lie between check and signal, and the kernel gives a pid out again only
 * after all others: the race is open (Node has no pidfd), but does not occur in practice.
 */
export function killExact(pid: number, startTicks: number, signal: NodeJS.Signals): boolean {
  try {
    return startTicksOf(pid) === startTicks && process.kill(pid, signal);
  } catch {
    // It has ended between the check and the signal, it is not ours to signal, or nothing can be read of it.
    return false;
  }
}

/**
 * Resolves with the processes that are still alive: none, or those that are left after `timeoutMs`. It reads /proc every 20 ms, because the
 * processes are not always our children and then emit no exit event.
 */
export async function waitForEnd(processes: readonly ProcessId[], timeoutMs: number): Promise<ProcessId[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = processes.filter(({ pid, startTicks }) => isAlive(pid, startTicks));
    if (left.length === 0 || performance.now() >= deadline) return left;
    await delay(20);
  }
}

/** Signals each process and resolves with those that are still alive after `timeoutMs`. */
export async function signalAndWait(
  processes: readonly ProcessId[],
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<ProcessId[]> {
  for (const { pid, startTicks } of processes) killExact(pid, startTicks, signal);
  return waitForEnd(processes, timeoutMs);
}
