/**
 * Measures the embedded store beside the disk itself. Every round measures the baseline and the store one after the other, so that a slow
 * minute of the machine slows both, and the medians of the rounds are compared.
 */
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import type { Store } from '../domain/ports/store.ts';
import { openStore } from '../store/open.ts';
import { median, type Figure } from './figures.ts';

/** After these rounds the compiler and the page cache are warm. */
const WARM_UP = 3;
const ROUNDS = 11;
const COMMITS = 200;
const WRITERS = 64;
const COMMITS_PER_WRITER = 100;
const FEW = 1_000;
const MANY = 100_000;

export async function benchStore(): Promise<Figure[]> {
  const dir = await mkdtemp(join(tmpdir(), 'onair-bench-'));
  const closers: (() => Promise<void>)[] = [];
  try {
    const small = await filledStore(join(dir, 'small'), FEW);
    closers.push(() => small.close());
    const large = await filledStore(join(dir, 'large'), MANY);
    closers.push(() => large.close());
    const plain = await open(join(dir, 'plain.jsonl'), 'a');
    closers.push(() => plain.close());
    return [...(await commitFigures(plain, small, large)), await findFigure(large), await checkpointFigure(large)];
  } finally {
    for (const close of closers.reverse()) await close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function commitFigures(plain: FileHandle, small: Store, large: Store): Promise<Figure[]> {
  const line = Buffer.from(
    `00000000 ${JSON.stringify({ seq: 1, batch: 1, ops: [['livestreams', 1, 2, rowOf(1)]] })}\n`,
  );
  const rounds: { append: number; one: number; many: number; together: number }[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const append = await msEach(COMMITS, () => appendLine(plain, line));
    // The two take turns at being first: the later one in a round meets another disk than the earlier one.
    const measure = {
      one: () => msEach(COMMITS, () => commit(small, FEW)),
      many: () => msEach(COMMITS, () => commit(large, MANY)),
    };
    let [one, many] = [0, 0];
    if (round % 2 === 0) [one, many] = [await measure.one(), await measure.many()];
    else [many, one] = [await measure.many(), await measure.one()];
    const measured = { append, one, many, together: await msEachTogether(small) };
    if (round >= WARM_UP) rounds.push(measured);
  }
  const append = median(rounds.map(({ append: ms }) => ms));
  const one = median(rounds.map(({ one: ms }) => ms));
  const toAppend = median(rounds.map((ms) => ms.one / ms.append));
  const gain = median(rounds.map((ms) => ms.one / ms.together));
  const growth = median(rounds.map((ms) => ms.many / ms.one));
  return [
    {
      name: 'durable commit, one at a time, to an fdatasync append of equal size',
      value: toAppend,
      bar: '≤ 1.5',
      met: toAppend <= 1.5,
      unit: '×',
      note: `${us(one)} to ${us(append)}`,
    },
    {
      name: `throughput of ${WRITERS} at once to one at a time`,
      value: gain,
      bar: '≥ 10',
      met: gain >= 10,
      unit: '×',
      note: `${Math.round(1_000 / median(rounds.map((ms) => ms.together)))} commits/s`,
    },
    {
      name: `commit at ${MANY} rows to one at ${FEW}`,
      value: growth,
      bar: '≤ 1.3',
      met: growth <= 1.3,
      unit: '×',
      note: `${us(median(rounds.map((ms) => ms.many)))} to ${us(one)}`,
    },
  ];
}

async function findFigure(store: Store): Promise<Figure> {
  const page = async (turn: number): Promise<void> => {
    await store.find('livestreams', {
      where: { channelId: 1 + (turn % 50) },
      sort: { field: 'updated_at', descending: true },
      limit: 50,
    });
  };
  await msEach(200, page);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await msEach(100, page));
  const ms = median(times);
  return {
    name: `page of 50 by a filter, sorted by another field, of ${MANY} rows`,
    value: ms * 1_000,
    bar: 'no bar',
    met: true,
    unit: 'µs',
  };
}

/** Measures the longest gap between two turns of a busy event loop, while a snapshot is written and commits go on. */
async function checkpointFigure(store: Store): Promise<Figure> {
  let worst = 0;
  let before = performance.now();
  let running = true;
  const turn = (): void => {
    const now = performance.now();
    worst = Math.max(worst, now - before);
    before = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  const started = performance.now();
  const done = store.checkpoint().finally(() => (running = false));
  let commits = 0;
  while (running) {
    await commit(store, MANY);
    commits += 1;
  }
  await done;
  const note = `${Math.round(performance.now() - started)} ms long, ${commits} commits meanwhile`;
  return {
    name: `longest block of the event loop during a checkpoint of ${MANY} rows`,
    value: worst,
    bar: 'no bar',
    met: true,
    unit: 'ms',
    note,
  };
}

async function filledStore(dir: string, rows: number): Promise<Store> {
  const store = await openStore({ kind: 'lowdb', dir });
  await store.tx((tx) => {
    for (let id = 1; id <= rows; id += 1) tx.insert('livestreams', rowOf(id));
  });
  await store.checkpoint();
  return store;
}

/** The edits are parsed from JSON as those of requests are, but beforehand, for parsing is no part of a commit. */
const edits = JSON.parse(
  JSON.stringify(
    Array.from({ length: 2 * (WARM_UP + ROUNDS) * (COMMITS + WRITERS * COMMITS_PER_WRITER) }, (_, turn) => ({
      name: `Renamed ${Math.random().toString(36).slice(2)} ${turn}`,
      updated_at: instant(turn),
    })),
  ),
) as Pick<Livestream, 'name' | 'updated_at'>[];
let turns = 0;

/** A row anywhere gets a new name and a new time: a unique claim and two index entries move. */
async function commit(store: Store, rows: number): Promise<void> {
  turns += 1;
  const id = 1 + Math.floor(Math.random() * rows);
  const edit = edits[turns]!;
  await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', id)!, ...edit }));
}

async function appendLine(handle: FileHandle, line: Buffer): Promise<void> {
  await handle.write(line);
  await handle.datasync();
}

async function msEach(count: number, run: (turn: number) => Promise<void>): Promise<number> {
  const started = performance.now();
  for (let turn = 0; turn < count; turn += 1) await run(turn);
  return (performance.now() - started) / count;
}

async function msEachTogether(store: Store): Promise<number> {
  const started = performance.now();
  const writer = (): Promise<number> => msEach(COMMITS_PER_WRITER, () => commit(store, FEW));
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return (performance.now() - started) / (WRITERS * COMMITS_PER_WRITER);
}

function rowOf(id: number): Livestream {
  const row: Partial<Livestream> & Record<string, unknown> = {
    id,
    created_at: instant(id),
    updated_at: instant(id),
    name: `Livestream ${String(id).padStart(7, '0')} of the bench`,
    description: 'A row of ordinary size, with nested settings.',
    enabled: id % 3 !== 0,
    channelId: 1 + (id % 50),
    deviceId: 1 + (id % 20),
    logo: { filename: 'logo.png', position: 'Top-Right' },
    crop: { left: 0, right: 0, top: 0, bottom: 0 },
  };
  return row as Livestream;
}

function instant(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
}

function us(ms: number): string {
  return `${Math.round(ms * 1_000)} µs`;
}
