/**
 * Identity of the process that a lock file means. A pid alone comes back after a restart of the machine or of a container, so the boot, the
 * pid namespace and the start time of the process go with it (proc(5): /proc/pid/stat, fields 3 and 22).
 */
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { ifAbsent } from '../../domain/base/absent.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process; empty where there is no /proc. */
  readonly startedTicks: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly host: string;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  const [bootId, pidNamespace, status] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(hidden),
    readlink('/proc/self/ns/pid').catch(hidden),
    statusOf(process.pid),
  ]);
  return {
    pid: process.pid,
    startedTicks: status?.startedTicks ?? '',
    bootId: bootId.trim(),
    pidNamespace,
    host: hostname(),
  };
}

/**
 * `unseen` means that the process, if it runs, is where this process cannot look: in another container, on another machine, before a
 * reboot.
 */
export async function lookFor(other: ProcessIdentity, own: ProcessIdentity): Promise<'running' | 'gone' | 'unseen'> {
  // Without a boot id only the name distinguishes machines.
  if (own.bootId === '' && other.host !== own.host) return 'unseen';
  if (other.bootId !== own.bootId || other.pidNamespace !== own.pidNamespace) return 'unseen';
  if (own.startedTicks === '') return isSignallable(other.pid) ? 'running' : 'gone';
  const status = await statusOf(other.pid);
  // A zombie has no open files any more; only its parent has not collected it yet.
  return status === undefined || status.zombie || status.startedTicks !== other.startedTicks ? 'gone' : 'running';
}

async function statusOf(pid: number): Promise<{ startedTicks: string; zombie: boolean } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(ifAbsent(''));
  if (stat === '') return undefined;
  // The command, in parentheses, may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { zombie: fields[0] === 'Z' || fields[0] === 'X', startedTicks: fields[19] ?? '' };
}

function isSignallable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** There is no /proc, or it hides this: two processes that know less of each other wait for the heartbeat. */
function hidden(): string {
  return '';
}
