/** A control group (version 1) that holds a service and all that it starts to so many cores. It needs root. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;
const TREES = ['cpu', 'cpuacct'] as const;

export interface Group {
  /** All that is begun within `work` is in the group, and stays there. */
  within<T>(work: () => Promise<T>): Promise<T>;
  add(pid: number): void;
  /** All of it must have ended. */
  remove(): void;
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
    remove() {
      for (const tree of TREES) {
        const dir = join(ROOT, tree, name);
        if (readdirSync(dir).length > 0) rmdirSync(dir);
      }
    },
  };
}

function pathOf(tree: string): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  return lines.map((line) => line.split(':')).find(([, trees = '']) => trees.split(',').includes(tree))?.[2] ?? '/';
}
