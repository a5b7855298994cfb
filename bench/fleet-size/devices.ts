/** The simulated Devices, many in a process: which server has each of them, and what they were ordered. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp, type Owner } from '../../test/helpers/clean-up.ts';
import { until } from '../../test/helpers/until.ts';
import type { Counted, News, Opening, Order } from './messages.ts';

const PROGRAM = fileURLToPath(new URL('devices-process.ts', import.meta.url));
const JOIN_MS = 600_000;

export type DevicesToOpen = {
  count: number;
  perProcess: number;
} & Pick<Opening, 'frail' | 'ports' | 'tokens' | 'seed'>;

export class Devices {
  /** Ids in the store, by the numbers of the Devices from 0. */
  readonly ids = new Map<number, number>();
  /** The port of the server that has each, and since when it is so. */
  readonly connections = new Map<number, { port: number | null; at: number }>();
  readonly refusals: string[] = [];
  private readonly processes: ChildProcess[] = [];
  private readonly places = new Map<number, ChildProcess>();
  private readonly answers = new Map<string, (news: News) => void>();

  /** All have joined when it resolves. */
  static async open(owner: Owner, options: DevicesToOpen): Promise<Devices> {
    const { count, perProcess, ports, tokens, seed } = options;
    const devices = new Devices();
    const dir = mkdtempSync(join(tmpdir(), 'onair-devices-'));
    cleanUp(owner, () => rmSync(dir, { recursive: true, force: true }));
    cleanUp(owner, () => devices.close());
    for (let first = 0; first < count; first += perProcess) {
      const numbers = Array.from({ length: Math.min(perProcess, count - first) }, (_, at) => first + at);
      const frail = options.frail.filter((number) => numbers.includes(number));
      const child = devices.startProcess(numbers);
      child.send({ type: 'open', dir, seed: seed + first, devices: numbers, frail, ports, tokens });
    }
    await until(
      'all Devices have joined',
      () => {
        if (devices.refusals.length > 0) throw new Error(`A Device may not join: ${devices.refusals[0]}`);
        return devices.ids.size === count;
      },
      { boundMs: JOIN_MS },
    );
    return devices;
  }

  private startProcess(numbers: readonly number[]): ChildProcess {
    const child = fork(PROGRAM, [], { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
    child.on('message', (news: News) => this.take(child, news));
    this.processes.push(child);
    for (const number of numbers) this.places.set(number, child);
    return child;
  }

  get pids(): number[] {
    return this.processes.flatMap(({ pid }) => pid ?? []);
  }

  /** How many each server has, by its port. */
  get perServer(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { port } of this.connections.values()) if (port !== null) counts.set(port, (counts.get(port) ?? 0) + 1);
    return counts;
  }

  tell(order: Order): void {
    for (const child of this.processes) child.send(order);
  }

  tellOne(order: Extract<Order, { device: number }>): void {
    this.places.get(order.device)!.send(order);
  }

  /** Every Device has reported so many events when it resolves. */
  async storm(events: number): Promise<void> {
    await this.ask('stormed', { type: 'storm', events });
  }

  async counted(): Promise<Counted> {
    const all = (await this.ask('counted', { type: 'count' })) as Extract<News, { type: 'counted' }>[];
    const sum = (of: (each: Counted) => number): number => all.reduce((total, each) => total + of(each), 0);
    return {
      runs: all.flatMap(({ runs }) => runs),
      starts: sum(({ starts }) => starts),
      stops: sum(({ stops }) => stops),
      reports: sum(({ reports }) => reports),
      events: sum(({ events }) => events),
    };
  }

  /** The marks of all events that were reported. */
  async marks(): Promise<string[]> {
    const all = (await this.ask('marked', { type: 'mark' })) as Extract<News, { type: 'marked' }>[];
    return all.flatMap(({ marks }) => marks);
  }

  /** Every process answers once. */
  private ask(type: News['type'], order: Order): Promise<News[]> {
    const answering = this.processes.map(
      (child) => new Promise<News>((resolve) => this.answers.set(`${child.pid} ${type}`, resolve)),
    );
    this.tell(order);
    return Promise.all(answering);
  }

  private take(child: ChildProcess, news: News): void {
    if (news.type === 'joined') this.ids.set(news.device, news.deviceId);
    else if (news.type === 'connection') this.connections.set(news.device, { port: news.port, at: news.at });
    else if (news.type === 'refused') this.refusals.push(news.why);
    else this.answers.get(`${child.pid} ${news.type}`)?.(news);
  }

  private async close(): Promise<void> {
    await Promise.all(
      this.processes.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        if (child.connected) child.send({ type: 'close' });
        await gone;
      }),
    );
  }
}
