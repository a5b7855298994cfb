/**
 * Faults of several servers, of their database, of their Devices, and of the lines between them, in an order that a seed makes. Each resolves
 * when all parts run again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { identify } from '../../device/process.ts';
import type { DatabasePair } from './database-pair.ts';
import type { JoinedDevice } from './fleet.ts';
import type { Line } from './line.ts';
import type { Roaming } from './fleet-roaming.ts';
import { killAll, PROGRAM, type Service } from './service.ts';
import { until } from './until.ts';

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

export interface Harmed {
  members: readonly HarmedMember[];
  database: DatabasePair;
  /** It is on air, and stays so: its agent alone is harmed. */
  device: JoinedDevice;
  /** It is on air too, and may die with all that runs there. */
  mortal: JoinedDevice;
  /** It goes to the Device where it is not. */
  roaming: Pick<Roaming, 'move'>;
}

const OUTAGE_MS = 5_000;
/** Longer than an event loop stands still for its own work. */
const STALL_MS = 2_000;
const RESTART_MS = 1_000;
const LAST_OUTPUT = 4_000;

const FAULTS: Record<string, (harmed: Harmed, member: HarmedMember) => Promise<void>> = {
  'server killed': (_, { service }) => killServer(service),
  'server paused for 5 s': (_, { service }) => pause(service.pid, OUTAGE_MS),
  'server that stands still for 2 s while it connects': (_, member) => {
    cut(member);
    return pause(member.service.pid, STALL_MS);
  },
  'server whose connections are all cut': (_, member) => Promise.resolve(cut(member)),
  'server cut off from the database for 5 s': (_, { toDatabase }) => outage(toDatabase),
  'server that hears nothing from the database for 5 s': (_, { toDatabase }) => outage(toDatabase, 'far'),
  'server cut off from its Devices for 5 s': (_, { toDevices }) => outage(toDevices),
  'database killed': ({ database }) => database.killPrimary(RESTART_MS),
  'database failed over to its standby': async ({ database }) => void (await database.failOver()),
  'database that stands still for 2 s': ({ database }) => database.standStill(STALL_MS),
  'connections of the database ended': ({ database }) => database.endConnections(),
  'listeners of the database ended': ({ database }) => database.endListeners(),
  'agent of a Device killed': ({ device }) => startedAgain(device, () => process.kill(device.pid(), 'SIGKILL')),
  'agent of a Device paused for 5 s': ({ device }) => pause(device.pid(), OUTAGE_MS),
  'Device that loses its power': ({ mortal }) => startedAgain(mortal, () => killAll(mortal.dir)),
  'server stopped, and renewed': (_, { service }) => service.restart(PROGRAM),
  'agent of a Device stopped, and renewed': ({ device }) => renewed(device),
  'agent of the other Device stopped, and renewed': ({ mortal }) => renewed(mortal),
  'database stopped, and started': ({ database }) => database.restartPrimary(),
  'broadcast moved to the other Device': ({ roaming }) => roaming.move(),
};
const NAMES = Object.keys(FAULTS);
/** They start a server again, whatever had become of it. */
const RESTARTS = ['server killed', 'server stopped, and renewed'];

export class Harm {
  readonly faults: Fault[] = [];
  private readonly harmed: Harmed;
  private readonly random: () => number;
  private found = 0;

  constructor(harmed: Harmed, random: () => number) {
    this.harmed = harmed;
    this.random = random;
  }

  /** The end of the output of servers that are gone, though nobody has ended them. */
  get lastOutput(): string[] {
    return this.harmed.members.filter(isGone).map(({ service }) => service.output().slice(-LAST_OUTPUT));
  }

  /** Servers that were gone when nobody had ended them; one that a fault starts again is looked at before. */
  get ended(): number {
    return this.found + this.harmed.members.filter(isGone).length;
  }

  next(): Promise<void> {
    const { members } = this.harmed;
    const member = members[Math.floor(this.random() * members.length)]!;
    // A server is what dies most often.
    const name = this.random() < 0.2 ? NAMES[0]! : NAMES[Math.floor(this.random() * NAMES.length)]!;
    this.faults.push({ name, at: performance.now(), changeMs: 0 });
    if (RESTARTS.includes(name) && isGone(member)) this.found += 1;
    return FAULTS[name]!(this.harmed, member);
  }
}

function isGone({ service }: HarmedMember): boolean {
  return identify(service.pid) === undefined;
}

async function killServer(service: Service): Promise<void> {
  await service.kill('SIGKILL');
  await sleep(RESTART_MS);
  await service.restart();
}

function renewed(device: JoinedDevice): Promise<void> {
  return startedAgain(device, () => process.kill(device.pid(), 'SIGTERM'), PROGRAM);
}

async function startedAgain(device: JoinedDevice, end: () => unknown, program?: string): Promise<void> {
  const former = device.pid();
  end();
  await until('its end', () => identify(former) === undefined);
  await sleep(RESTART_MS);
  device.start(program);
  await until('another agent', () => device.pid() !== former);
}

/** One that has ended by itself cannot be paused, which is counted elsewhere. */
async function pause(pid: number, ms: number): Promise<void> {
  if (identify(pid) === undefined) return;
  process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  process.kill(pid, 'SIGCONT');
}

function cut({ toDatabase, toDevices }: HarmedMember): void {
  toDatabase.cut();
  toDevices.cut();
}

/** Nobody is told: what is sent is gone, or what comes from the far end is. */
async function outage(line: Line, from?: 'far'): Promise<void> {
  line.stall(from);
  await sleep(OUTAGE_MS);
  line.mend();
}
