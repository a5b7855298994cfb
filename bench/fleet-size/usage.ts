/** Looks once a second at what the servers, the database and the simulated Devices take. */
import { cpus } from 'node:os';
import { processorSeconds } from '../cpu.ts';
import type { Servers } from './servers.ts';

/** Unix time in ms, from and to. */
export interface Span {
  from: number;
  to: number;
}

interface Look {
  at: number;
  /** Processor seconds so far; those of a process that was started again begin anew. */
  servers: number[];
  database: number;
  devices: number;
  /** That of this process, and that of the whole machine. */
  here: number;
  machine: number;
}

/** Cores, means over a span. */
export interface Cores {
  servers: number[];
  database: number;
  devices: number;
  /** All else on this machine. */
  others: number;
}

const LOOK_MS = 1000;
/** The kernel walks all pages of a process to answer. */
const LOOKS_A_MEMORY = 5;

export class Usage {
  private readonly servers: Servers;
  private readonly looks: Look[] = [];
  private readonly memories: { at: number; megabytes: number[] }[] = [];
  private readonly timer: NodeJS.Timeout;
  devicePids: readonly number[] = [];

  constructor(servers: Servers) {
    this.servers = servers;
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.look();
  }

  end(): void {
    clearInterval(this.timer);
  }

  cores({ from, to }: Span): Cores {
    const looks = this.looks.filter(({ at }) => at >= from && at <= to);
    const seconds = ((looks.at(-1)?.at ?? 0) - (looks[0]?.at ?? 0)) / 1000;
    const mean = (of: (look: Look) => number): number => {
      const steps = looks.slice(1).map((look, at) => Math.max(0, of(look) - of(looks[at]!)));
      return steps.reduce((sum, step) => sum + step, 0) / seconds;
    };
    const servers = this.servers.members.map((_, at) => mean((look) => look.servers[at]!));
    const [database, devices] = [mean((look) => look.database), mean((look) => look.devices)];
    const ours = servers.reduce((sum, each) => sum + each, database + devices + mean(({ here }) => here));
    return { servers, database, devices, others: Math.max(0, mean(({ machine }) => machine) - ours) };
  }

  /** The last in the span of each server, MB. */
  memory({ from, to }: Span): number[] {
    return this.memories.findLast(({ at }) => at >= from && at <= to)?.megabytes ?? this.servers.memory();
  }

  /** The most that one server had, MB. */
  get mostMemory(): number {
    return Math.max(...this.memories.flatMap(({ megabytes }) => megabytes));
  }

  private look(): void {
    const devices = this.devicePids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
    const at = Date.now();
    const here = processorSeconds(process.pid);
    this.looks.push({ at, ...this.servers.use(), devices, here, machine: busySeconds() });
    if (this.looks.length % LOOKS_A_MEMORY === 1) this.memories.push({ at, megabytes: this.servers.memory() });
  }
}

function busySeconds(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
}
