/** Measures how exactly planned actions keep their time, from the instant to the begin of the call and to its commit, over a real store. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock as clock } from '../domain/time/clock.ts';
import { PlannedActions } from '../scheduler/planned-actions.ts';
import type { SchedulerDeps } from '../scheduler/task.ts';
import { FakeDevice } from '../test/helpers/fake-device.ts';
import { seedBroadcast } from '../test/helpers/seed.ts';
import { until } from '../test/helpers/until.ts';
import type { Figure } from './figures.ts';
import { openProduct, type Product } from './product.ts';
import { silentLog } from '../test/helpers/silent-log.ts';

const STREAMS = 20;
const ACTIONS = 200;
/** Actions that are not due at one instant are spread over this time. */
const SPREAD_MS = 10_000;
const AHEAD_MS = 1500;
const BAR_MS = 250;

interface Timing {
  /** Milliseconds after the instant. */
  callDelaysMs: number[];
  commitDelaysMs: number[];
}

export async function benchActions(): Promise<Figure[]> {
  const product = await openProduct('bench-token-0123456789-abcdef');
  const livestreams = await broadcasts(product);
  const spread = await timed(product, livestreams, (at) => (at * SPREAD_MS) / ACTIONS);
  const together = await timed(product, livestreams, () => 0);
  await product.close();
  return [
    figure(`instant to call, p99 of ${ACTIONS} actions within ${SPREAD_MS / 1000} s`, spread.callDelaysMs),
    figure(`instant to commit, p99 of the same`, spread.commitDelaysMs),
    figure(
      `instant to call, p99 of ${ACTIONS} actions at one instant on ${STREAMS} Live streams`,
      together.callDelaysMs,
    ),
    figure(`instant to commit, p99 of the same`, together.commitDelaysMs),
  ];
}

/** The broadcasts are on air at a Device that answers at once: only the way there is measured. */
async function broadcasts({ store, control }: Product): Promise<number[]> {
  const device = new FakeDevice({ cores: 1000 });
  await control.attachLocalDevice(device, 'bench');
  const ids: number[] = [];
  for (let at = 0; at < STREAMS; at += 1) ids.push(await seedBroadcast(store, ` ${at}`));
  for (const id of ids)
    await store.tx((tx) => control.orderStart(tx, new Date().toISOString(), id, {}, { username: 'bench' }));
  await until('all at the Device', () => device.runIds.length === STREAMS);
  for (const runId of device.runIds) device.running(runId);
  const isOnAir = async (): Promise<boolean> => (await store.find('runs', { where: { status: 2 } })).total === STREAMS;
  await until('all on air', isOnAir);
  return ids;
}

async function timed(
  { store, control, dispatcher, profile }: Product,
  livestreams: readonly number[],
  afterMs: (at: number) => number,
): Promise<Timing> {
  const timing: Timing = { callDelaysMs: [], commitDelaysMs: [] };
  const perform: SchedulerDeps['perform'] = async (operation, args, { username, ...how }) => {
    const dueMs = Date.parse(how.idempotencyKey.split(' ').at(-1)!);
    timing.callDelaysMs.push(Date.now() - dueMs);
    const caller = { userId: 0, username, role: 2, api: false, tokenKid: null, sealKey: Buffer.alloc(32) } as const;
    const call = { operation, args, caller, ...how, requestId: randomUUID(), via: 'schedule', profile } as const;
    await dispatcher.dispatch(call);
    timing.commitDelaysMs.push(Date.now() - dueMs);
  };
  const task = new PlannedActions({ store, clock, log: silentLog, control, perform });
  await task.begin();
  const firstMs = Date.now() + AHEAD_MS;
  await store.tx((tx) => {
    const at = new Date().toISOString();
    const own = { created_at: at, updated_at: at, status: 'pending', error: null, created_by: 'bench' } as const;
    for (let index = 0; index < ACTIONS; index += 1) {
      const execute_at = new Date(firstMs + afterMs(index)).toISOString();
      const livestreamId = livestreams[index % STREAMS]!;
      const payload = { action: 'show', text: `${index}` };
      tx.insert('plannedActions', { ...own, livestreamId, type: 'text', payload, execute_at });
    }
  });
  await sleep(AHEAD_MS);
  await until('all are done', () => timing.commitDelaysMs.length === ACTIONS);
  task.end();
  return timing;
}

function figure(name: string, values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
  const note = `median ${sorted[sorted.length >> 1]} ms, latest ${sorted.at(-1)} ms`;
  return { name, value, unit: 'ms', bar: `≤ ${BAR_MS} ms`, met: value <= BAR_MS, note };
}
