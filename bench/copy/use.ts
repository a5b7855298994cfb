/** Measures what processes take: memory as each shares it, and processor time. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processorSeconds } from '../cpu.ts';

export interface Use {
  /** Proportional set size of all, MB. */
  megabytes: number;
  /** Percent of one core. */
  percent: number;
}

export function sleepSeconds(seconds: number): Promise<void> {
  return sleep(seconds * 1000);
}

export async function useOf(pids: readonly number[], seconds: number): Promise<Use> {
  const spent = (): number => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const before = spent();
  const from = performance.now();
  await sleepSeconds(seconds);
  const percent = ((spent() - before) / ((performance.now() - from) / 1000)) * 100;
  return { megabytes: pids.reduce((sum, pid) => sum + megabytesOf(pid), 0), percent };
}

export function megabytesOf(pid: number): number {
  try {
    return Number(/^Pss: +(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // It has ended.
    return 0;
  }
}
