/** What 10,000 Schedules cost the event loop at each tick, beside a scan of all of them in the same run. Time is moved by hand. */
import { nextOccurrence } from '../domain/recurrence.ts';
import { seriesOf, type Schedule } from '../domain/schedule.ts';
import { Schedules } from '../scheduler/schedules.ts';
import { FakeClock } from '../test/helpers/fake-clock.ts';
import { FakeDevice } from '../test/helpers/fake-device.ts';
import { seedBroadcast } from '../test/helpers/seed.ts';
import { median, type Figure } from './figures.ts';
import { log, openProduct, type Product } from './product.ts';

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
  const orders: number[] = [];
  // What a start costs is control's, whoever orders it: it is told apart.
  let inControlMs = 0;
  const counted = <A extends unknown[], R>(call: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      const begun = cpuMs();
      try {
        return call(...args);
      } finally {
        orders.push(cpuMs() - begun);
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
        const begun = cpuMs();
        inControlMs = 0;
        task();
        ticks.push(cpuMs() - begun - inControlMs);
      }),
  };
  const duty = new Schedules({ store, clock: timed, log, control: told });
  const begun = cpuMs();
  await duty.begin();
  const beginMs = cpuMs() - begun;
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
      name: 'an order or a check of control within a tick, p99',
      value: nearlyAll(orders),
      unit: 'ms',
      bar: 'no bar',
      met: true,
      note: `median ${median(orders).toFixed(2)} ms of ${orders.length}`,
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
  const begun = cpuMs();
  let first = Infinity;
  for (const row of rows) first = Math.min(first, nextOccurrence(seriesOf(row), nowMs)?.startMs ?? Infinity);
  if (first < nowMs) throw new Error('an occurrence of the past is next');
  return cpuMs() - begun;
}

/** Of the processor: what a busy machine gives to others meanwhile says nothing about a tick of microseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function nearlyAll(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
