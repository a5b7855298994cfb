/**
 * Measures what a server does when a CDN refuses the Destinations of many Devices at once: each tells ten events of each of its runs, with a
 * report before each. The commits are those of the events alone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Store } from '../../domain/ports/store.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { openStore } from '../../store/open.ts';
import { startTestApp, type TestApp } from '../../test/app/test-app.ts';
import { FakeDevice } from '../../test/helpers/fake-device.ts';
import { PostgresServer } from '../../test/helpers/postgres.ts';
import { seedBroadcast } from '../../test/helpers/seed.ts';
import { silentLog } from '../../test/helpers/silent-log.ts';
import { until } from '../../test/helpers/until.ts';
import type { Figure } from '../figures.ts';

const DEVICES = 100;
const RUNS = 10;
const EVENTS = 10;

export async function benchEvents(): Promise<Figure[]> {
  const dir = await mkdtemp(join(tmpdir(), 'onair-bench-'));
  const tasks: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  try {
    const server = await PostgresServer.start({ after: (task) => void tasks.push(task) });
    const lowdb = await openStore({ kind: 'lowdb', dir });
    const figures = await storm('journal', lowdb);
    const shared = await openStore({ kind: 'postgres', url: await server.database(), warn: () => undefined });
    return [...figures, ...(await storm('PostgreSQL', shared))];
  } finally {
    for (const task of tasks.reverse()) await task();
  }
}

async function storm(name: string, store: Store): Promise<Figure[]> {
  const app = await startTestApp({ store, clock: systemClock, log: silentLog, hasDevice: false });
  try {
    return await measure(name, store, await devicesOnAir(app, store));
  } finally {
    await app.close();
  }
}

async function devicesOnAir(app: TestApp<Clock>, store: Store): Promise<FakeDevice[]> {
  const devices: FakeDevice[] = [];
  for (let number = 0; number < DEVICES; number += 1) {
    const device = new FakeDevice({ cores: 64 });
    const stand = app.network.stand(`10.0.0.${number}`, device);
    const { id } = await app.data('addDevice', { name: `Device ${number}`, ...stand });
    const isKnown = async (): Promise<boolean> =>
      (await store.get('devices', id))?.row.capabilities?.ffmpeg_version !== undefined;
    await until('what it can do', isKnown, { everyMs: 2 });
    for (let run = 0; run < RUNS; run += 1) {
      const livestreamId = await seedBroadcast(store, ` ${number} ${run}`);
      await store.tx((tx) =>
        app.control.orderStart(tx, new Date().toISOString(), livestreamId, { deviceId: id }, { username: 'admin' }),
      );
    }
    devices.push(device);
  }
  await until('all are there', () => devices.every(({ runIds }) => runIds.length === RUNS));
  for (const device of devices) for (const runId of device.runIds) device.running(runId);
  const onAir = async (): Promise<boolean> =>
    (await store.find('runs', { where: { status: 2 } })).total === DEVICES * RUNS;
  await until('all are on air', onAir);
  await until('all is quiet', quiet(store), { everyMs: 500 });
  return devices;
}

/** Answers whether nothing was committed since it was asked last. */
function quiet(store: Store): () => boolean {
  let before = -1;
  let seq = 0;
  store.onChange((changes) => (seq = changes.at(-1)!.seq));
  return () => {
    const isQuiet = before === seq;
    before = seq;
    return isQuiet;
  };
}

async function measure(name: string, store: Store, devices: readonly FakeDevice[]): Promise<Figure[]> {
  const commits = new Set<number>();
  let stored = 0;
  const end = store.onChange((changes) => {
    for (const { seq, collection } of changes) {
      if (collection !== 'events') continue;
      commits.add(seq);
      stored += 1;
    }
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  delay.enable();
  // Each Device has a connection of its own, and tells run after run.
  for (const device of devices)
    for (const runId of device.runIds) {
      await new Promise((resolve) => setImmediate(resolve));
      const { publishings } = device.report(runId);
      for (let event = 0; event < EVENTS; event += 1) {
        device.tell(runId, { publishings });
        device.emit(runId, 'destination_down', 'The CDN refuses.', 'warning', { publishingId: 1 });
      }
    }
  await until('all are stored', () => stored === DEVICES * RUNS * EVENTS, { everyMs: 1 });
  const seconds = (performance.now() - startedAt) / 1000;
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  end();
  const open = { bar: 'no bar', met: true } as const;
  const most = 3 * DEVICES;
  return [
    {
      name: `commits of ${stored} events of ${DEVICES} Devices, ${name}`,
      value: commits.size,
      bar: `≤ ${most}`,
      met: commits.size <= most,
      unit: 'commits',
    },
    {
      name: `until all are in the store, ${name}`,
      value: seconds,
      unit: 's',
      note: `${((user + system) / 1e6).toFixed(2)} s of CPU`,
      ...open,
    },
    { name: `longest block of the event loop meanwhile, ${name}`, value: delay.max / 1e6, unit: 'ms', ...open },
  ];
}
