/**
 * Measures the shared store beside lowdb and the disk itself. Each round measures all of them one after the other, so that a slow minute of
 * the machine slows all.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { PostgresServer } from '../../test/helpers/postgres.ts';
import { livestream } from '../../test/store/support.ts';
import { bounded, median, type Figure } from '../figures.ts';

const WARM_UP = 1;
const ROUNDS = 7;
const COMMITS = 150;
const WRITERS = 64;
const COMMITS_PER_WRITER = 60;
const ROWS = 1_000;
const MANY = 80_000;
const MEMBERS = 3;
const SECONDS = 6;

export async function benchSharedStore(): Promise<Figure[]> {
  const dir = await mkdtemp(join(tmpdir(), 'onair-bench-'));
  const tasks: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  try {
    const server = await PostgresServer.start({ after: (task) => void tasks.push(task) });
    const lowdb = await openStore({ kind: 'lowdb', dir: join(dir, 'lowdb') });
    tasks.push(() => lowdb.close());
    const shared = await openStore({ kind: 'postgres', url: await server.database(), warn: () => undefined });
    tasks.push(() => shared.close());
    const plain = await open(join(dir, 'plain'), 'a');
    tasks.push(() => plain.close());
    for (const store of [lowdb, shared]) await fill(store, ROWS);
    return [
      ...(await commitFigures(plain, lowdb, shared)),
      await openFigure(server, join(dir, 'large')),
      ...(await memberFigures(server, 33, 60)),
      ...(await memberFigures(server, 100, 120)),
    ];
  } finally {
    for (const task of tasks.reverse()) await task();
  }
}

async function commitFigures(plain: FileHandle, lowdb: Store, shared: Store): Promise<Figure[]> {
  const line = Buffer.from(`${JSON.stringify(livestream({ name: 'Live stream 1 of the bench' }))}\n`);
  const rounds: { raw: number; one: number; embedded: number; together: number }[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const measured = {
      raw: median(await times(COMMITS, () => plain.write(line).then(() => plain.datasync()))),
      one: median(await times(COMMITS, () => commit(shared))),
      embedded: await perSecond(lowdb),
      together: await perSecond(shared),
    };
    if (round >= WARM_UP) rounds.push(measured);
  }
  const toRaw = median(rounds.map(({ raw, one }) => one / raw));
  const toLowdb = median(rounds.map(({ embedded, together }) => together / embedded));
  const [raw, one, embedded, together] = (['raw', 'one', 'embedded', 'together'] as const).map((name) =>
    median(rounds.map((round) => round[name])),
  ) as [number, number, number, number];
  return [
    bounded(
      'commit of one writer to a raw write with fdatasync, medians',
      toRaw,
      6,
      '×',
      `${one.toFixed(2)} to ${raw.toFixed(2)} ms`,
    ),
    {
      name: `throughput of ${WRITERS} writers to that of lowdb`,
      value: toLowdb,
      bar: '≥ 0.25',
      met: toLowdb >= 0.25,
      unit: '×',
      note: `${Math.round(together)} to ${Math.round(embedded)} commits/s`,
    },
  ];
}

/** Processor time of a process that opens many rows, over that of one that opens them from lowdb. */
async function openFigure(server: PostgresServer, dir: string): Promise<Figure> {
  const url = await server.database();
  for (const options of [{ kind: 'lowdb', dir } as const, { kind: 'postgres', url } as const]) {
    const store = await openStore({ ...options, warn: () => undefined });
    for (let at = 0; at < MANY; at += 2_000) await fill(store, 2_000, at);
    await store.close();
  }
  const rounds: { embedded: number; shared: number }[] = [];
  for (let round = 0; round < 3; round += 1)
    rounds.push({ embedded: await openingMs('lowdb', dir), shared: await openingMs('postgres', url) });
  const value = median(rounds.map(({ embedded, shared }) => shared / embedded));
  const [embedded, shared] = [median(rounds.map((each) => each.embedded)), median(rounds.map((each) => each.shared))];
  return bounded(
    `processor time to open ${MANY} rows to that of lowdb`,
    value,
    1.5,
    '×',
    `${Math.round(shared)} to ${Math.round(embedded)} ms`,
  );
}

async function openingMs(kind: string, place: string): Promise<number> {
  const child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), [kind, place]);
  const [ms] = (await once(child, 'message')) as [number];
  await once(child, 'exit');
  return ms;
}

/** Members that write side by side, each so many commits a second at random instants, and hear of each other's. */
async function memberFigures(server: PostgresServer, perSecondEach: number, barMs: number): Promise<Figure[]> {
  const url = await server.database();
  const members: Store[] = [];
  for (let at = 0; at < MEMBERS; at += 1)
    members.push(await openStore({ kind: 'postgres', url, warn: () => undefined }));
  const [first, , last] = members as [Store, Store, Store];
  await fill(first, ROWS);
  const begun = new Map<number, number>();
  const seen: number[] = [];
  last.onChange((changes) => {
    for (const { id } of changes) {
      const at = begun.get(id);
      if (at !== undefined) seen.push(performance.now() - at);
      begun.delete(id);
    }
  });
  const writes: number[] = [];
  const hands = Math.ceil(perSecondEach / 5);
  const end = performance.now() + SECONDS * 1_000;
  const write = async (store: Store): Promise<void> => {
    while (performance.now() < end) {
      await sleep((Math.random() * 2 * 1_000 * hands) / perSecondEach);
      const at = performance.now();
      await commit(store, (id) => {
        if (store === first) begun.set(id, at);
      });
      writes.push(performance.now() - at);
    }
  };
  await Promise.all(members.flatMap((store) => Array.from({ length: hands }, () => write(store))));
  for (const store of members) await store.close();
  const each = `${MEMBERS} members with ${perSecondEach} commits a second each`;
  return [
    bounded(
      `commit of ${each}, 99th percentile`,
      quantile(writes, 0.99),
      barMs,
      'ms',
      `median ${quantile(writes, 0.5).toFixed(1)} ms, ${writes.length} commits`,
    ),
    bounded(
      `a commit of ${each}, from its beginning until another member hears of it, 99th percentile`,
      quantile(seen, 0.99),
      perSecondEach > 33 ? barMs : 50,
      'ms',
      `median ${quantile(seen, 0.5).toFixed(1)} ms, ${seen.length} heard`,
    ),
  ];
}

async function fill(store: Store, rows: number, from = 0): Promise<void> {
  await store.tx((tx) => {
    for (let id = from + 1; id <= from + rows; id += 1)
      tx.insert('livestreams', livestream({ name: `Live stream ${id} of the bench`, channelId: 1 + (id % 50) }));
  });
}

let turns = 0;

async function commit(store: Store, before: (id: number) => void = () => undefined): Promise<void> {
  turns += 1;
  const id = 1 + (turns % ROWS);
  before(id);
  const edit = { name: `Renamed ${turns}`, updated_at: new Date(turns * 1_000).toISOString() };
  await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', id)!, ...edit }));
}

async function times(count: number, run: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const at = performance.now();
    await run();
    found.push(performance.now() - at);
  }
  return found;
}

async function perSecond(store: Store): Promise<number> {
  const at = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, () => times(COMMITS_PER_WRITER, () => commit(store))));
  return (WRITERS * COMMITS_PER_WRITER * 1_000) / (performance.now() - at);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
