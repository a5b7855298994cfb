/** Measures getScheduleOccurrences of one day with 10,000 Schedules, all of which have an occurrence on it, beside a scan of all of them. */
import { randomUUID } from 'node:crypto';
import { nextOccurrence } from '../../domain/time/recurrence.ts';
import { seriesOf, type Schedule } from '../../domain/shapes/schedules/schedule.ts';
import { seedBroadcast } from '../../test/helpers/seed.ts';
import { bounded, median, type Figure } from '../figures.ts';
import { openProduct, type Product } from '../product.ts';

const SCHEDULES = 10_000;
const CALLS = 300;
/** So many calls are for one day, before the next is asked for. */
const SAME_DAY = 50;
const DAY_MS = 86_400_000;
const ZONES = ['UTC', 'Europe/Zurich', 'America/New_York', 'Asia/Tokyo'];

export async function benchOccurrences(): Promise<Figure[]> {
  const product = await openProduct('bench-token-0123456789-abcdef');
  const rows = await fill(product, Date.now());
  const scan = median(Array.from({ length: 7 }, () => scanMs(rows)));
  const times = { first: [] as number[], again: [] as number[], changed: [] as number[] };
  for (let at = 0; at < CALLS; at += 1) {
    const isChanged = at % SAME_DAY > 0 && at % 10 === 0;
    if (isChanged) await rename(product, rows[at]!);
    const ms = await listMs(product, Date.now() + (2 * Math.floor(at / SAME_DAY) + 1) * DAY_MS);
    times[at % SAME_DAY === 0 ? 'first' : isChanged ? 'changed' : 'again'].push(ms);
  }
  await product.close();
  const day = `a day's occurrences of ${SCHEDULES} Schedules`;
  const ratio = (values: readonly number[]): number => median(values) / scan;
  return [
    bounded(`${day}, p99`, percentile99(times.again), 10, 'ms', `median ${median(times.again).toFixed(1)} ms`),
    bounded('the same to a scan of all of them', ratio(times.again), 0.3, '×', `the scan takes ${scan.toFixed(1)} ms`),
    bounded('just after a Schedule was changed, to the scan', ratio(times.changed), 0.6, '×', noteOf(times.changed)),
    bounded('of a day that nobody has asked for, to the scan', ratio(times.first), 2.5, '×', noteOf(times.first)),
  ];
}

async function fill({ store }: Product, nowMs: number): Promise<Readonly<Schedule>[]> {
  const livestreamId = await seedBroadcast(store, ' of the Schedules');
  const at = new Date(nowMs).toISOString();
  await store.tx((tx) => {
    for (let index = 0; index < SCHEDULES; index += 1) {
      const startMs = nowMs + Math.floor((index * DAY_MS) / SCHEDULES);
      tx.insert('schedules', {
        name: `Schedule ${index}`,
        description: null,
        start: new Date(startMs).toISOString(),
        end: new Date(startMs + 3_600_000).toISOString(),
        recurrence: { type: 'daily', interval: 1, until: null },
        livestreamId,
        idEncoderGroup: null,
        timezone: ZONES[index % ZONES.length]!,
        enabled: true,
        created_at: at,
        updated_at: at,
        effective_from: at,
        created_by: 'bench',
      });
    }
  });
  return (await store.find('schedules', {})).rows;
}

async function rename({ store }: Product, { id }: Readonly<Schedule>): Promise<void> {
  await store.tx((tx) => {
    const row = tx.get('schedules', id)!;
    tx.put('schedules', { ...row, name: `${row.name}+` });
  });
}

async function listMs({ dispatcher, profile }: Product, fromMs: number): Promise<number> {
  const args = { from: new Date(fromMs).toISOString(), to: new Date(fromMs + DAY_MS).toISOString() };
  const caller = {
    userId: 0,
    username: 'bench',
    role: 1,
    api: false,
    tokenKid: null,
    sealKey: Buffer.alloc(32),
  } as const;
  const call = {
    operation: 'getScheduleOccurrences',
    args,
    caller,
    requestId: randomUUID(),
    via: 'rest',
    profile,
  } as const;
  const elapsed = stopwatch();
  const { body } = await dispatcher.dispatch(call);
  const ms = elapsed();
  const { total } = (body as { pagination: { total: number } }).pagination;
  if (total < SCHEDULES) throw new Error(`a day has ${total} occurrences`);
  return ms;
}

/** Looks for the next occurrence of every Schedule by the calendar. */
function scanMs(rows: readonly Readonly<Schedule>[]): number {
  const elapsed = stopwatch();
  const nowMs = Date.now();
  for (const row of rows)
    if ((nextOccurrence(seriesOf(row), nowMs)?.startMs ?? 0) < nowMs)
      throw new Error('an occurrence of the past is next');
  return elapsed();
}

/** Elapsed time includes what a busy machine gave to others, and processor time what other threads did: the lower one is nearer. */
function stopwatch(): () => number {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  return () => {
    const elapsedMs = performance.now() - startedMs;
    const { user, system } = process.cpuUsage(before);
    return Math.min(elapsedMs, (user + system) / 1000);
  };
}

function percentile99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}

function noteOf(values: readonly number[]): string {
  return `median ${median(values).toFixed(1)} ms of ${values.length}`;
}
