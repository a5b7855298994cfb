/** How busy the whole machine is, from /proc/stat: its own programs, and the host of a virtual machine. */
import { readFileSync } from 'node:fs';

/** Shares of the time of all processors, 0-1, since the look before. */
export interface MachineLoad {
  idle: number;
  /** Taken by the host of a virtual machine while something here wanted to run. */
  steal: number;
}

/** Ticks of all processors so far. */
interface Ticks {
  all: number;
  idle: number;
  steal: number;
}

export class MachineLoadMeter {
  private readonly read: () => string;
  private before: Ticks | undefined;
  /** Undefined before the second look, and where the machine does not tell. */
  load: MachineLoad | undefined;

  constructor(read = (): string => readFileSync('/proc/stat', 'utf8')) {
    this.read = read;
  }

  look(): void {
    const now = ticksOf(this.read);
    const { before } = this;
    this.before = now;
    const all = now === undefined || before === undefined ? 0 : now.all - before.all;
    this.load =
      all > 0 ? { idle: (now!.idle - before!.idle) / all, steal: (now!.steal - before!.steal) / all } : undefined;
  }
}

/** The first line of proc(5) /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; what follows is a part of user. */
function ticksOf(read: () => string): Ticks | undefined {
  try {
    const [, text = ''] = /^cpu +(.+)$/mu.exec(read()) ?? [];
    const fields = text.split(' ').slice(0, 8).map(Number);
    if (fields.length < 8 || !fields.every(Number.isFinite)) return undefined;
    const [, , , idle = 0, iowait = 0, , , steal = 0] = fields;
    return { all: fields.reduce((sum, field) => sum + field, 0), idle: idle + iowait, steal };
  } catch {
    return undefined;
  }
}
