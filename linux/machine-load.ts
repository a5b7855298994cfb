/**
 * Cores that this process may use, and how busy they are: the machine by /proc/stat, with the host of a virtual machine, and each control group
 * with a limit around this process. ffmpeg and its encoders are bound by the tightest of them.
 */
import { readFileSync } from 'node:fs';

/** Shares of the processors' time, 0-1, since the look before. */
export interface MachineLoad {
  /** The tightest limit counts. */
  idle: number;
  /** Taken by the host of a virtual machine while something here wanted to run. */
  steal: number;
}

/** A control group with a limit. */
interface Group {
  cores: number;
  /** CPU seconds so far; undefined where the kernel does not count them by this group. */
  used: number | undefined;
}

/** Ticks of all processors so far. `nice` are those of programs that give way. */
interface Ticks {
  all: number;
  idle: number;
  nice: number;
  steal: number;
  processors: number;
}

interface Look {
  atMs: number;
  ticks: Ticks | undefined;
  groups: readonly Group[];
}

type ReadText = (path: string) => string;
const readText: ReadText = (path) => readFileSync(path, 'utf8');

/** `taken` is a mean of so long, as is what a run takes (device/runner/cpu-meter.ts). */
const WINDOW_MS = 10_000;

const FRESH_MS = 1500;

/** Cores that a program of this process may use: the `processors` of its affinity, or less where a control group has less. */
export function coresHere(processors: number, read = readText): number {
  return coresOf(limitedGroups(read), processors);
}

function coresOf(groups: readonly Group[], processors: number): number {
  return Number(Math.min(processors, ...groups.map(({ cores }) => cores)).toFixed(2));
}

export class MachineLoadMeter {
  private readonly read: ReadText;
  private readonly processors: number;
  private readonly looks: Look[] = [];
  /** Undefined before the second look, and where the machine does not tell. */
  load: MachineLoad | undefined;
  /** Cores that all programs take of those here, without programs that give way; undefined during the first ten seconds. */
  taken: number | undefined;

  constructor(processors: number, read: ReadText = readText) {
    this.read = read;
    this.processors = processors;
  }

  /** It is called every two seconds, by as many as share it: a look is good for all. `nowMs` is monotonic. */
  look(nowMs = performance.now()): void {
    const newest = this.looks.at(-1);
    if (newest !== undefined && nowMs - newest.atMs < FRESH_MS) return;
    const now = { atMs: nowMs, ticks: ticksOf(this.read), groups: limitedGroups(this.read) };
    const { looks } = this;
    looks.push(now);
    while (looks.length > 2 && nowMs - looks[1]!.atMs >= WINDOW_MS) looks.shift();
    const [first] = looks as [Look];
    this.load = newest && loadBetween(newest, now);
    if (nowMs - first.atMs >= WINDOW_MS) this.taken = takenBetween(first, now, this.processors);
  }
}

function loadBetween(before: Look, now: Look): MachineLoad | undefined {
  const spent = between(before.ticks, now.ticks);
  if (spent === undefined) return undefined;
  const { all, idle, steal } = spent;
  const idles = usedBetween(before, now).map(({ cores, used }) => Math.max(0, 1 - used / cores));
  return { idle: Math.min(idle / all, ...idles), steal: steal / all };
}

/** Processors that this process may not use are taken to be those that others use first. */
function takenBetween(before: Look, now: Look, usable: number): number | undefined {
  const spent = between(before.ticks, now.ticks);
  if (spent === undefined) return undefined;
  const { all, idle, nice, processors } = spent;
  const machine = { cores: processors, used: (1 - (idle + nice) / all) * processors };
  const cores = coresOf(now.groups, usable);
  const taken = [machine, ...usedBetween(before, now)].map((level) => cores - level.cores + level.used);
  return Number(Math.max(0, ...taken).toFixed(2));
}

function between(before: Ticks | undefined, now: Ticks | undefined): Ticks | undefined {
  const all = before === undefined || now === undefined ? 0 : now.all - before.all;
  if (!(all > 0)) return undefined;
  const spent = (name: 'idle' | 'nice' | 'steal'): number => now![name] - before![name];
  return { all, idle: spent('idle'), nice: spent('nice'), steal: spent('steal'), processors: now!.processors };
}

/** Cores that were used in each group whose use is counted. */
function usedBetween(before: Look, now: Look): { cores: number; used: number }[] {
  const seconds = (now.atMs - before.atMs) / 1000;
  if (before.groups.length !== now.groups.length || seconds <= 0) return [];
  return now.groups.flatMap(({ cores, used }, i) => {
    const former = before.groups[i]!.used;
    return used === undefined || former === undefined ? [] : [{ cores, used: (used - former) / seconds }];
  });
}

/** The first line of proc(5) /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; what follows is a part of user. */
function ticksOf(read: ReadText): Ticks | undefined {
  const stat = textOf(read, '/proc/stat') ?? '';
  const [, text = ''] = /^cpu +(.+)$/mu.exec(stat) ?? [];
  const fields = text.split(' ').slice(0, 8).map(Number);
  if (fields.length < 8 || !fields.every(Number.isFinite)) return undefined;
  const [, nice = 0, , idle = 0, iowait = 0, , , steal = 0] = fields;
  const processors = stat.match(/^cpu\d+ /gmu)?.length ?? 1;
  return { all: fields.reduce((sum, field) => sum + field, 0), idle: idle + iowait, nice, steal, processors };
}

/** cgroups(7): version 2 has one tree, version 1 one for each controller, of which some are mounted together. */
function limitedGroups(read: ReadText): Group[] {
  const lines = (textOf(read, '/proc/self/cgroup') ?? '').split('\n').map((line) => line.split(':'));
  const pathOf = (controller: string): string =>
    lines.find(([, controllers = '']) => controllers.split(',').includes(controller))?.[2] ?? '/';
  const unified = lines.find(([id]) => id === '0')?.[2] ?? '/';
  const root = '/sys/fs/cgroup';
  return [
    ...foldersOf(unified).map((dir) => ({
      limit: numbersOf(read, `${root}/${dir}cpu.max`),
      used: microseconds(textOf(read, `${root}/${dir}cpu.stat`)),
    })),
    ...foldersOf(pathOf('cpu')).map((dir) => ({
      limit: ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].flatMap((file) => numbersOf(read, `${root}/cpu/${dir}${file}`)),
      // Its tree may be another one, where the group is by the same name.
      used: pathOf('cpuacct') === pathOf('cpu') ? nanoseconds(read, `${root}/cpuacct/${dir}`) : undefined,
    })),
  ].flatMap(({ limit: [quota, period], used }) =>
    quota !== undefined && period !== undefined && quota > 0 && period > 0 ? [{ cores: quota / period, used }] : [],
  );
}

/** A folder and those above it. In a container its own group is often the root. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`).concat('');
}

/** `max` is no number. */
function numbersOf(read: ReadText, path: string): number[] {
  return (textOf(read, path) ?? '').split(' ').map(Number.parseFloat).filter(Number.isFinite);
}

function microseconds(stat: string | undefined): number | undefined {
  const [, used] = /^usage_usec (\d+)$/mu.exec(stat ?? '') ?? [];
  return used === undefined ? undefined : Number(used) / 1e6;
}

function nanoseconds(read: ReadText, dir: string): number | undefined {
  const [used] = numbersOf(read, `${dir}cpuacct.usage`);
  return used === undefined ? undefined : used / 1e9;
}

function textOf(read: ReadText, path: string): string | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}
