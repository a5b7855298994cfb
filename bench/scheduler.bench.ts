/** What 10,000 Schedules cost the event loop at each tick, beside a scan of all of them in the same run. Time is moved by hand. */
import { nextOccurrence } from '../domain/recurrence.ts';
import { seriesOf, type Schedule } from '../domain/schedule.ts';
import type { Tx } from '../domain/store.ts';
import { Schedules } from '../scheduler/schedules.ts';
import { FakeClock } from '../test/helpers/fake-clock.ts';
import { FakeDevice } from '../test/helpers/fake-device.ts';
import { seedBroadcast } from '../test/helpers/seed.ts';
import { median, type Figure } from './figures.ts';
import { openProduct, type Product } from './product.ts';
import { silentLog } from '../test/helpers/silent-log.ts';

const STREAMS = 1000;
const EACH = 10;
const STEP_MS = 5000;
const STEPS = 1440;
const ZONES = ['UTC', 'Europe/Zurich', 'America/New_York', 'Asia/Tokyo'];

export async function benchScheduler(): Promise<Figure[]> {
  const product = await openProduct('bench-token-0123456789-abcdef');
  const { store, control } = product;
  await control.attachLocalDevice(new FakeDevice({ cores: 100_000 }), 'bench');
  const clock = new FakeClock(new Date().toISOString());
  await fill(product, clock.now());
  const ticks: number[] = [];
  const turns: number[] = [];
  const orders: number[] = [];
  // What a start costs is control's, whoever orders it: it is told apart.
  let inControlMs = 0;
  const counted = <A extends unknown[], R>(call: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      const spent = stopwatch();
      try {
        return call(...args);
      } finally {
        orders.push(spent());
        inControlMs += orders.at(-1)!;
      }
    };
  };
  const { checkStart, orderStart, orderStop } = control;
  const told = {
    ...control,
    checkStart: counted(checkStart),
    orderStart: counted(orderStart),
    orderStop: counted(orderStop),
  };
  const timed = {
    now: () => clock.now(),
    after: (delayMs: number, task: () => void) =>
      clock.after(delayMs, () => {
        const spent = stopwatch();
        task();
        ticks.push(spent());
      }),
  };
  const { tx: commit } = store;
  store.tx = <T>(plan: (tx: Tx) => T): Promise<T> =>
    commit.call(store, (tx) => {
      const spent = stopwatch();
      inControlMs = 0;
      const answer = plan(tx);
      turns.push(spent() - inControlMs);
      return answer;
    }) as Promise<T>;
  const duty = new Schedules({ store, clock: timed, log: silentLog, control: told });
  const spent = stopwatch();
  await duty.begin();
  const beginMs = spent();
  turns.length = 0;
  for (let step = 0; step < STEPS; step += 1) {
    clock.advance(STEP_MS);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  duty.end();
  const { total: fired } = await store.find('firings', {});
  const { rows } = await store.find('schedules', {});
  const scans = Array.from({ length: 7 }, () => scanMs(rows, clock.now()));
  const p99 = nearlyAll(ticks);
  const ratio = p99 / median(scans);
  await product.close();
  const note = `median ${(median(ticks) * 1000).toFixed(0)} µs of ${ticks.length} ticks with ${fired} starts`;
  return [
    { name: `tick with ${rows.length} Schedules, p99`, value: p99, unit: 'ms', bar: '≤ 1', met: p99 <= 1, note },
    {
      name: 'the same to a scan of all of them',
      value: ratio,
      unit: '×',
      bar: '≤ 0.04',
      met: ratio <= 0.04,
      note: `the scan takes ${median(scans).toFixed(1)} ms`,
    },
    {
      ...{ name: 'the turn of a Schedule that is due, p99', value: nearlyAll(turns), unit: 'ms' },
      ...{ bar: '≤ 1', met: nearlyAll(turns) <= 1, note: noteOf(turns) },
    },
    {
      ...{ name: 'an order or a check of control within it, p99', value: nearlyAll(orders), unit: 'ms' },
      ...{ bar: 'no bar', met: true, note: noteOf(orders) },
    },
    { name: 'all of them read and set at the start', value: beginMs, unit: 'ms', bar: 'no bar', met: true },
  ];
}

/** An hour each, ten a day for each Live stream, spread over the seconds. */
async function fill({ store }: Product, nowMs: number): Promise<void> {
  for (let stream = 0; stream < STREAMS; stream += 1) {
    const livestreamId = await seedBroadcast(store, ` ${stream}`);
    await store.tx((tx) => {
      for (let index = 0; index < EACH; index += 1) {
        const startMs = nowMs + index * 8_640_000 + stream * 8640;
        const [at, start] = [new Date(nowMs).toISOString(), new Date(startMs).toISOString()];
        const end = new Date(startMs + 3_600_000).toISOString();
        const times = { start, end, recurrence: { type: 'daily', interval: 1, until: null } } as const;
        const own = { created_at: at, updated_at: at, effective_from: at, created_by: 'bench', enabled: true };
        const timezone = ZONES[stream % ZONES.length]!;
        tx.insert('schedules', {
          ...own,
          ...times,
          name: `${stream} ${index}`,
          description: null,
          livestreamId,
          idEncoderGroup: null,
          timezone,
        });
      }
    });
  }
}

/** Which is next, asked of every Schedule. */
function scanMs(rows: readonly Readonly<Schedule>[], nowMs: number): number {
  const spent = stopwatch();
  let first = Infinity;
  for (const row of rows) first = Math.min(first, nextOccurrence(seriesOf(row), nowMs)?.startMs ?? Infinity);
  if (first < nowMs) throw new Error('an occurrence of the past is next');
  return spent();
}

/**
 * Milliseconds that the event loop was held. The clock on the wall counts what a busy machine gave to others meanwhile, the processor
 * time of the process what its other threads did (garbage, the journal's writes): each is an upper bound, the lower one is nearer.
 */
function stopwatch(): () => number {
  const begun = process.cpuUsage();
  const at = performance.now();
  return () => {
    const wall = performance.now() - at;
    const { user, system } = process.cpuUsage(begun);
    return Math.min(wall, (user + system) / 1000);
  };
}

function noteOf(values: readonly number[]): string {
  return `median ${median(values).toFixed(2)} ms of ${values.length}`;
}

function nearlyAll(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
