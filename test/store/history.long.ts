/** A million of each: what stays in memory, what a start costs, how long a page takes. */
import assert from 'node:assert/strict';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { it, type TestContext } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import { pastQuery } from '../../domain/rules/schedules/schedule-occurrences.ts';
import type { Query, Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { memoryAfterCollection } from '../helpers/heap.ts';
import { auditRow, openedStore, temporaryFolder } from './support.ts';

const ROWS = 1_000_000;
const TOGETHER = 500;
const MB = 1e6;

/** Bytes that are in use after a collection. */
async function heap(): Promise<number> {
  const { heapUsed, external } = await memoryAfterCollection();
  return heapUsed + external;
}

async function fill(store: Store, rows: number): Promise<void> {
  const begunMs = Date.now() - rows * 100;
  for (let at = 0; at < rows; at += TOGETHER) {
    const commits = Array.from({ length: TOGETHER }, (_, each) => {
      const n = at + each;
      const instant = toIso(begunMs + n * 100);
      const entry = {
        ...auditRow(`user ${n % 20}`),
        at: instant,
        operation: `operation${n % 90}`,
        resource_id: 1 + (n % 1000),
      };
      return store.tx((tx) => {
        tx.insert('audit', { ...entry, outcome: n % 3 === 0 ? 'not_found' : 'ok' });
        const data = { publishingId: n % 40, reason: 'Connection refused' };
        const message = `Destination ${n % 40} is tried again.`;
        tx.insert('events', {
          at: instant,
          livestreamId: 1 + (n % 100),
          kind: n % 9 === 0 ? 'failover' : 'destination_retrying',
          severity: 'warning',
          message,
          data,
        });
      });
    });
    await Promise.all(commits);
  }
}

/** CPU that this process has taken. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function startMs(dir: string): Promise<number> {
  const begun = cpuMs();
  const store = await openStore({ kind: 'lowdb', dir });
  const ms = cpuMs() - begun;
  // What a start leaves for later is no part of the close.
  await store.find('events', { limit: 1 });
  await store.close();
  return ms;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** Measures pairs, the one and the other first in turn: a slow machine slows both. */
async function startRatio(dir: string, empty: string): Promise<{ ratio: number; ms: number }> {
  const pairs: { full: number; none: number }[] = [];
  for (let time = 0; time < 25; time += 1) {
    const isFirst = time % 2 === 0;
    const first = await startMs(isFirst ? dir : empty);
    const second = await startMs(isFirst ? empty : dir);
    // The compiler warms up.
    if (time >= 4) pairs.push(isFirst ? { full: first, none: second } : { full: second, none: first });
  }
  return { ratio: median(pairs.map(({ full, none }) => full / none)), ms: median(pairs.map(({ full }) => full)) };
}

it(`${ROWS} audit entries and as many events leave memory as it was, and a start as short`, async (t) => {
  const [dir, empty] = [await temporaryFolder(t), await temporaryFolder(t)];
  const store = await openedStore({ dir });
  await fill(store, TOGETHER);
  const before = await heap();
  const begun = performance.now();
  await fill(store, ROWS - TOGETHER);
  t.diagnostic(
    `${Math.round((ROWS / (performance.now() - begun)) * 1000)} commits a second, each with an entry and an event`,
  );
  // What waits for the next move is bounded; the change log holds the latest 16,384 to 32,768 changes whatever they are of.
  await store.checkpoint();
  const grown = (await heap()) - before;
  t.diagnostic(`${(grown / MB).toFixed(1)} MB more in use than after ${TOGETHER} of each`);
  assert.ok(grown < 10 * MB, `${grown} bytes of ${ROWS} rows stayed in memory`);
  for (const name of ['audit', 'events']) {
    const files = (await readdir(dir)).filter((file) => file.startsWith(`${name}-`));
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(dir, file))).size));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${name}: ${Math.round(bytes / store.counts()[name as 'audit'])} bytes a row on disk`);
  }
  const newest = { sort: { field: 'id', descending: true }, limit: 100 };
  const queries: [string, 'audit' | 'events', Query][] = [
    ['getAuditLog, the newest page', 'audit', newest],
    ['getAuditLog of one user and outcome', 'audit', { ...newest, where: { user: 'user 7', outcome: 'not_found' } }],
    ['getAuditLog, a word searched for', 'audit', { ...newest, search: 'ration77' }],
    ['getAuditLog sorted by user', 'audit', { sort: { field: 'user', descending: false }, limit: 100 }],
    ['getLivestreamEvents, the newest page', 'events', { ...newest, where: { livestreamId: 7 } }],
    [
      'getLivestreamEvents of one kind and a day',
      'events',
      { where: { livestreamId: 7, kind: 'failover', at: { gte: toIso(Date.now() - 86_400_000) } }, limit: 100 },
    ],
    ['getLivestreamEvents, a text searched for', 'events', { ...newest, where: { livestreamId: 7 }, search: 'tried' }],
  ];
  for (const [what, name, query] of queries) {
    const times: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      const startedAt = performance.now();
      const { rows } = await store.find(name, query);
      times.push(performance.now() - startedAt);
      assert.ok(rows.length > 0, what);
    }
    const [first, ...later] = times;
    t.diagnostic(`${what}: ${first!.toFixed(1)} ms, then ${Math.min(...later).toFixed(1)} ms`);
  }
  await store.close();
  const none = await openedStore({ dir: empty });
  await none.close();
  const { ratio, ms } = await startRatio(dir, empty);
  t.diagnostic(`a start takes ${ms.toFixed(1)} ms of CPU, ${ratio.toFixed(2)} times that of an empty store`);
  // Beside others on the machine: three times what is wanted, which is 1.2.
  assert.ok(ratio < 3.6, `${ratio} times`);
  await copied(t, dir);
});

/** Into a file and back into another store, by the megabyte. */
async function copied(t: TestContext, dir: string): Promise<void> {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'document.json');
  const store = await openedStore({ dir });
  const before = await heap();
  let most = 0;
  const sample = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 20);
  const out = createWriteStream(file);
  await pipeline(store.exportDocument(), out);
  const counts = store.counts();
  await store.close();
  const other = await openedStore({ dir: join(folder, 'other') });
  await other.importDocument(() => createReadStream(file, 'utf8'));
  clearInterval(sample);
  assert.deepEqual(other.counts(), counts);
  const grown = most - before;
  t.diagnostic(
    `${Math.round((await stat(file)).size / MB)} MB exported and imported with ${Math.round(grown / MB)} MB more heap at the most, garbage with it`,
  );
  assert.ok(grown < 300 * MB, `${grown} bytes`);
}

it(`a window of ${ROWS} past firings is read in a moment`, async (t) => {
  const store = await openedStore({ dir: await temporaryFolder(t) });
  const begunMs = Date.now() - 360 * 86_400_000;
  for (let at = 0; at < ROWS; at += TOGETHER) {
    await store.tx((tx) => {
      for (let n = at; n < at + TOGETHER; n += 1) {
        const startMs = begunMs + n * 30_000;
        const times = { occurrence_start: toIso(startMs), occurrence_end: toIso(startMs + 3_600_000) };
        const stamps = { at: toIso(startMs + 7 * 86_400_000), created_at: toIso(startMs) };
        tx.insert('pastFirings', {
          ...stamps,
          ...times,
          scheduleId: 1 + (n % 2000),
          livestreamId: 1,
          state: 'done',
          runId: `run-${n}`,
          attempts: 0,
          reasons: [],
        });
      }
    });
  }
  const day = begunMs + 100 * 86_400_000;
  const window = { fromMs: day, toMs: day + 86_400_000 };
  const times: number[] = [];
  for (let time = 0; time < 7; time += 1) {
    const begun = performance.now();
    const { rows } = await store.find('pastFirings', pastQuery({ ...window, scheduleId: 7 + time }));
    times.push(performance.now() - begun);
    assert.ok(rows.length >= 1);
  }
  t.diagnostic(`a day of one Schedule: ${median(times).toFixed(0)} ms`);
});

it(`the oldest file of more than ${ROWS} audit entries goes`, async (t) => {
  const store = await openedStore({ dir: await temporaryFolder(t) });
  await fill(store, ROWS + 60_000);
  await store.checkpoint();
  const { total, rows } = await store.find('audit', { limit: 1 });
  assert.ok(total >= ROWS && total < ROWS + 60_000, `${total} are kept`);
  assert.equal(rows[0]!.id, ROWS + 60_000 - total + 1);
});
