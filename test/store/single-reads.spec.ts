/** Rows of history that are read one by one, of a shared store. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { systemClock } from '../../domain/time/clock.ts';
import { parseAddress } from '../../store/shared/database/address.ts';
import { HistoryReads } from '../../store/shared/history.ts';
import { RecentEvents } from '../../store/shared/recent-events.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { openMember } from './shared-members.ts';

const EVENTS = 300;

/** A store with events, reads of their own, and how many queries these have made. */
async function readers(t: TestContext) {
  const url = await (await sharedServer()).database();
  const store = await openMember(t, url);
  const at = new Date().toISOString();
  const common = { at, livestreamId: null, kind: 'destination_retrying', severity: 'warning', data: {} } as const;
  const rows = await store.tx((tx) =>
    Array.from({ length: EVENTS }, (_, number) => tx.insert('events', { ...common, message: `Event ${number}.` })),
  );
  const reads = new HistoryReads(parseAddress(url), undefined, () => systemClock.now());
  cleanUp(t, () => reads.close());
  const plain = reads.query.bind(reads);
  let queries = 0;
  reads.query = (...given) => {
    queries += 1;
    return plain(...given);
  };
  return { store, rows, reads, url, queries: () => queries };
}

it('each of many single reads gets its own row, and one that is missing nothing', async (t) => {
  const { store, rows, reads } = await readers(t);
  const ids = [...rows.map(({ id }) => id), 9_999];
  const wanted = [...rows.map(({ message }) => message), undefined];
  const found = await Promise.all(ids.map((id) => reads.get('events', id)));
  assert.deepEqual(
    found.map((row) => row?.['message']),
    wanted,
  );
  const stored = await Promise.all(ids.map((id) => store.get('events', id)));
  assert.deepEqual(
    stored.map((each) => each?.row.message),
    wanted,
  );
});

it('single reads that are asked for while others are read share one query with each other', async (t) => {
  const { rows, reads, queries } = await readers(t);
  const first = reads.get('events', rows[0]!.id);
  await Promise.resolve();
  const rest = rows.slice(1).map(({ id }) => reads.get('events', id));
  await Promise.all([first, ...rest, ...rest.map((_, at) => reads.get('events', rows[at]!.id))]);
  assert.equal(queries(), 2);
});

it('a single read that fails leaves the next ones to themselves', async (t) => {
  const { rows, reads } = await readers(t);
  const plain = reads.query.bind(reads);
  reads.query = () => Promise.reject(new Error('refused'));
  const refused = assert.rejects(reads.get('events', rows[0]!.id), /refused/u);
  await refused;
  reads.query = plain;
  assert.equal((await reads.get('events', rows[0]!.id))?.['message'], 'Event 0.');
});

it('an event that was read, or written here, is read no second time; one of before a server began comes from the database', async (t) => {
  const { rows, reads, queries, store, url } = await readers(t);
  const ids = rows.map(({ id }) => id);
  const first = await reads.getMany('events', ids);
  assert.deepEqual(await reads.getMany('events', [...ids, 9_999].reverse()), first.toReversed());
  assert.equal((await reads.get('events', ids[7]!))?.['message'], 'Event 7.');
  // Those of the first, and the one that there is not.
  assert.equal(queries(), 2);
  assert.deepEqual(await store.getMany('events', ids), first);
  const other = await openMember(t, url);
  assert.deepEqual(await other.getMany('events', ids), first);
  assert.ok((await store.getMany('events', ids)).every((row) => Object.isFrozen(row) && Object.isFrozen(row.data)));
});

it('an event that newer ones push out of memory while others are read is in the answer all the same', async (t) => {
  const { rows, url } = await readers(t);
  const recent = new RecentEvents();
  const reads = new HistoryReads(parseAddress(url), undefined, () => systemClock.now(), recent);
  cleanUp(t, () => reads.close());
  const [first, second] = rows.map(({ id }) => id);
  await reads.get('events', first!);
  const reading = reads.getMany('events', [first!, second!]);
  for (let id = 10_000; id < 15_000; id += 1) recent.keep('events', { id });
  assert.equal(recent.get('events', first!), undefined);
  assert.deepEqual(
    (await reading).map(({ id }) => id),
    [first, second],
  );
});

it('of very many events the last ones are kept', () => {
  const recent = new RecentEvents();
  for (let id = 1; id <= 5_000; id += 1) recent.keep('events', { id });
  recent.keep('audit', { id: 1 });
  const known = [1, 900, 1_000, 5_000].map((id) => recent.get('events', id)?.id);
  assert.deepEqual([known, recent.get('audit', 1)], [[undefined, undefined, 1_000, 5_000], undefined]);
});
