/** Measures the time of the event loop that 10,000 Schedules take at each tick, beside a scan of all of them. The clock is moved by hand. */
import { nextOccurrence } from '../domain/time/recurrence.ts';
import { seriesOf, type Schedule } from '../domain/shapes/schedules/schedule.ts';
import type { Tx } from '../domain/ports/store.ts';
import { Schedules } from '../scheduler/schedules.ts';
import { FakeClock } from '../test/helpers/fake-clock.ts';
import { FakeDevice } from '../test/helpers/fake-device.ts';
import { seedBroadcast } from '../test/helpers/seed.ts';
import { median, type Figure } from './figures.ts';
import { silentLog } from '../test/helpers/silent-log.ts';
import { openProduct, type Product } from './product.ts';

const STREAMS = 1000;
const EACH = 10;
const STEP_MS = 5000;
const STEPS = 1440;
const ZONES = ['UTC', 'Europe/Zurich', 'America/New_York', 'Asia/Tokyo'];

/** Milliseconds, a number for each time. */
interface Times {
  ticks: number[];
  turns: number[];
  orders: number[];
}

export async function benchScheduler(): Promise<Figure[]> {
  const product = await openProduct('bench-token-0123456789-abcdef');
  const { store, control } = product;
  await control.attachLocalDevice(new FakeDevice({ cores: 100_000 }), 'bench');
  const clock = new FakeClock(new Date().toISOString());
  await fill(product, clock.now());
  const times: Times = { ticks: [], turns: [], orders: [] };
  const task = timedSchedules(product, clock, times);
  const elapsed = stopwatch();
  await task.begin();
  const beginMs = elapsed();
  times.turns.length = 0;
  for (let step = 0; step < STEPS; step += 1) {
    clock.advance(STEP_MS);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  task.end();
  const { total: fired } = await store.find('firings', {});
  const { rows } = await store.find('schedules', {});
  const scanTimes = Array.from({ length: 7 }, () => scanMs(rows, clock.now()));
  await product.close();
  return figures(times, { beginMs, fired, schedules: rows.length, scan: median(scanTimes) });
}

/** The task under test; it notes in `times` how long each of its ticks, turns and orders takes. */
function timedSchedules({ store, control }: Product, clock: FakeClock, times: Times): Schedules {
  // The cost of a start is control's, whoever orders it, so it is measured apart.
  let inControlMs = 0;
  const timed = <A extends unknown[], R>(call: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      const elapsed = stopwatch();
      try {
        return call(...args);
      } finally {
        times.orders.push(elapsed());
        inControlMs += times.orders.at(-1)!;
      }
    };
  };
  const { checkStart, orderStart, orderStop } = control;
  const timedControl = {
    ...control,
    checkStart: timed(checkStart),
    orderStart: timed(orderStart),
    orderStop: timed(orderStop),
  };
  const timedClock = {
    now: () => clock.now(),
    after: (delayMs: number, task: () => void) =>
      clock.after(delayMs, () => {
        const elapsed = stopwatch();
        task();
        times.ticks.push(elapsed());
      }),
  };
  const { tx: commit } = store;
  store.tx = <T>(plan: (tx: Tx) => T): Promise<T> =>
    commit.call(store, (tx) => {
      const elapsed = stopwatch();
      inControlMs = 0;
      const answer = plan(tx);
      times.turns.push(elapsed() - inControlMs);
      return answer;
    }) as Promise<T>;
  return new Schedules({ store, clock: timedClock, log: silentLog, control: timedControl });
}

function figures(
  { ticks, turns, orders }: Times,
  { beginMs, fired, schedules, scan }: { beginMs: number; fired: number; schedules: number; scan: number },
): Figure[] {
  const tick = percentile99(ticks);
  const ratio = tick / scan;
  const turn = percentile99(turns);
  const tickNote = `median ${(median(ticks) * 1000).toFixed(0)} µs of ${ticks.length} ticks with ${fired} starts`;
  return [
    {
      name: `tick with ${schedules} Schedules, p99`,
      value: tick,
      unit: 'ms',
      bar: '≤ 1',
      met: tick <= 1,
      note: tickNote,
    },
    {
      name: 'the same to a scan of all of them',
      value: ratio,
      unit: '×',
      bar: '≤ 0.04',
      met: ratio <= 0.04,
      note: `the scan takes ${scan.toFixed(1)} ms`,
    },
    {
      name: 'the turn of a Schedule that is due, p99',
      value: turn,
      unit: 'ms',
      bar: '≤ 1',
      met: turn <= 1,
      note: noteOf(turns),
    },
    {
      name: 'an order or a check of control within it, p99',
      value: percentile99(orders),
      unit: 'ms',
      bar: 'no bar',
      met: true,
      note: noteOf(orders),
    },
    { name: 'all of them read and set at the start', value: beginMs, unit: 'ms', bar: 'no bar', met: true },
  ];
}

/** Each Live stream has ten Schedules a day of an hour each, spread over the seconds. */
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

/** Searches every Schedule for the next occurrence. */
function scanMs(rows: readonly Readonly<Schedule>[], nowMs: number): number {
  const elapsed = stopwatch();
  let first = Infinity;
  for (const row of rows) first = Math.min(first, nextOccurrence(seriesOf(row), nowMs)?.startMs ?? Infinity);
  if (first < nowMs) throw new Error('an occurrence of the past is next');
  return elapsed();
}

/**
 * Answers the milliseconds for which the event loop was busy. Elapsed time includes what a busy machine gave to others meanwhile, and the
 * processor time of the process what its other threads did (garbage, the journal's writes): each is an upper bound, the lower one is nearer.
 */
function stopwatch(): () => number {
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  return () => {
    const elapsedMs = performance.now() - startedMs;
    const { user, system } = process.cpuUsage(cpuBefore);
    return Math.min(elapsedMs, (user + system) / 1000);
  };
}

function noteOf(values: readonly number[]): string {
  return `median ${median(values).toFixed(2)} ms of ${values.length}`;
}

function percentile99(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
