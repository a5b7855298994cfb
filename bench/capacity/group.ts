/** A control group (version 1) that holds a service and all that it starts to so many cores. It needs root. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../test/helpers/until.ts';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;
const TREES = ['cpu', 'cpuacct'] as const;

export interface Group {
  /** All that is begun within `work` is in the group, and stays there. */
  within<T>(work: () => Promise<T>): Promise<T>;
  add(pid: number): void;
  /** Processes that have not ended go on outside of it. */
  remove(): Promise<void>;
}

export function controlGroup(cores: number): Group {
  const name = `onair-bench-${process.pid}`;
  const before = new Map(TREES.map((tree) => [tree, pathOf(tree)]));
  const put = (pid: number, pathIn: (tree: string) => string): void => {
    for (const tree of TREES) writeFileSync(join(ROOT, tree, pathIn(tree), 'cgroup.procs'), String(pid));
  };
  for (const tree of TREES) mkdirSync(join(ROOT, tree, name));
  writeFileSync(join(ROOT, 'cpu', name, 'cpu.cfs_period_us'), String(PERIOD_US));
  writeFileSync(join(ROOT, 'cpu', name, 'cpu.cfs_quota_us'), String(Math.round(cores * PERIOD_US)));
  return {
    async within(work) {
      put(process.pid, () => name);
      try {
        return await work();
      } finally {
        put(process.pid, (tree) => before.get(tree as (typeof TREES)[number])!);
      }
    },
    add: (pid) => put(pid, () => name),
    async remove() {
      for (const tree of TREES) {
        const dir = join(ROOT, tree, name);
        // Two names may stand for one tree.
        await until('the control group is gone', () => !existsSync(dir) || isRemoved(dir));
      }
    },
  };
}

/** The kernel keeps a group while a process of it is ending. */
function isRemoved(dir: string): boolean {
  try {
    for (const pid of readFileSync(join(dir, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean))
      writeFileSync(join(dir, '../cgroup.procs'), pid);
    rmdirSync(dir);
    return true;
  } catch {
    return false;
  }
}

function pathOf(tree: string): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  return lines.map((line) => line.split(':')).find(([, trees = '']) => trees.split(',').includes(tree))?.[2] ?? '/';
}
