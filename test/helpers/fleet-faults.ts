/** Faults of several servers, of their database, and of the lines between them and to their Devices, in an order that a seed makes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePair } from './database-pair.ts';
import type { Line } from './line.ts';
import type { Service } from './service.ts';

export interface Fault {
  name: string;
  /** Monotonic time. */
  at: number;
  /** Milliseconds until a change on air was answered that was first tried at its moment. */
  changeMs: number;
}

export interface HarmedMember {
  service: Service;
  toDatabase: Line;
  toDevices: Line;
}

const OUTAGE_MS = 5_000;
const RESTART_MS = 1_000;

/** One fault after the other; each resolves when all parts run again. */
export class Harm {
  readonly faults: Fault[] = [];
  private readonly members: readonly HarmedMember[];
  private readonly database: DatabasePair;
  private readonly random: () => number;

  constructor(members: readonly HarmedMember[], database: DatabasePair, random: () => number) {
    this.members = members;
    this.database = database;
    this.random = random;
  }

  next(): Promise<void> {
    const member = this.members[Math.floor(this.random() * this.members.length)]!;
    const kinds: Record<string, () => Promise<void>> = {
      'server killed': () => kill(member.service),
      'server paused for 5 s': () => pause(member.service),
      'server cut off from the database for 5 s': () => outage(member.toDatabase),
      'server that hears nothing from the database for 5 s': () => outage(member.toDatabase, 'far'),
      'server cut off from its Devices for 5 s': () => outage(member.toDevices),
      'database killed': () => this.database.killPrimary(RESTART_MS),
      'database failed over to its standby': async () => void (await this.database.failOver()),
      'connections of the database ended': () => this.database.endConnections(),
    };
    const names = Object.keys(kinds);
    // A server is what dies most often.
    const name = this.random() < 0.3 ? names[0]! : names[Math.floor(this.random() * names.length)]!;
    this.faults.push({ name, at: performance.now(), changeMs: 0 });
    return kinds[name]!();
  }
}

async function kill(service: Service): Promise<void> {
  await service.kill('SIGKILL');
  await sleep(RESTART_MS);
  await service.restart();
}

async function pause({ pid }: Service): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(OUTAGE_MS);
  process.kill(pid, 'SIGCONT');
}

/** Nobody is told: what is sent is gone, or what comes from the far end is. */
async function outage(line: Line, from?: 'far'): Promise<void> {
  line.stall(from);
  await sleep(OUTAGE_MS);
  line.mend();
}
