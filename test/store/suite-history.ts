/** The history: added by plans, read outside of them, the same from memory and from files. */
import { foldedText } from '../../domain/base/folded-text.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import type { Condition, Query, Scalar, Store } from '../../domain/ports/store.ts';
import type { Opened } from './opened-store.ts';
import { auditRow, eventRow, isAppError, type New } from './support.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';

const DAY_MS = 86_400_000;
const KINDS = ['started', 'stopped', 'source_lost'] as const;
const SEVERITIES = ['info', 'warning', 'error'] as const;

/** Many of the same instant and kind: ties are where orders differ. */
export function someEvent(at: number, nowMs: number): New<'events'> {
  return eventRow({
    at: toIso(nowMs + ((at * 7) % 40) * 1000),
    livestreamId: 1 + (at % 5),
    kind: KINDS[(at >> 2) % 3]!,
    severity: SEVERITIES[(at * 5) % 3]!,
    message: `Event ${at} of Größe ${at % 9}.`,
    data: { at },
  });
}

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

function matches(value: Scalar, condition: Condition): boolean {
  if (typeof condition !== 'object' || condition === null) return value === condition;
  if ('in' in condition) return condition.in.includes(value);
  if ('notIn' in condition) return !condition.notIn.includes(value);
  if ('prefix' in condition) return String(value).startsWith(condition.prefix);
  return (
    (condition.gte === undefined || (value as string) >= (condition.gte as string)) &&
    (condition.lt === undefined || (value as string) < (condition.lt as string))
  );
}

/** The answer to a query by looking at every row. */
export function expected(rows: readonly Row[], query: Query): { ids: number[]; total: number } {
  const { where = {}, search = '', sort = { field: 'id', descending: false }, offset = 0, limit = Infinity } = query;
  const found = rows
    .filter((row) =>
      Object.entries(where).every(([field, each]) => each === undefined || matches(row[field] as Scalar, each)),
    )
    .filter((row) => foldedText(String(row['message'] ?? '')).includes(foldedText(search)));
  const sign = sort.descending ? -1 : 1;
  const order = (a: Row, b: Row): number => {
    const [x, y] = [a[sort.field] as string, b[sort.field] as string];
    return x === y ? a.id - b.id : x < y ? -sign : sign;
  };
  const ids = found.sort(order).map(({ id }) => id);
  return { ids: ids.slice(offset, offset + limit), total: ids.length };
}

export function queriesOf(nowMs: number): Query[] {
  const wheres: Query['where'][] = [
    undefined,
    { livestreamId: 2 },
    { livestreamId: 2, kind: 'stopped', severity: undefined },
    { kind: { in: ['started', 'source_lost'] } },
    { kind: { notIn: ['started'] }, severity: 'error' },
    { kind: { prefix: 's' } },
    { kind: 'adopted' },
    { livestreamId: { gte: 2, lt: 4 } },
    { at: { gte: toIso(nowMs + 10_000), lt: toIso(nowMs + 20_000) } },
    { at: { lt: toIso(nowMs) } },
    { id: { gte: 20, lt: 60 } },
    { id: { in: [3, 1, 999_999] } },
  ];
  const sorts: Query['sort'][] = [undefined];
  for (const field of ['id', 'at', 'kind', 'livestreamId'])
    for (const descending of [true, false]) sorts.push({ field, descending });
  const pages: Pick<Query, 'offset' | 'limit'>[] = [
    {},
    { limit: 7 },
    { offset: 11, limit: 10 },
    { offset: 5000, limit: 5 },
    { limit: 0 },
  ];
  const queries: Query[] = [];
  for (const where of wheres)
    for (const sort of sorts)
      for (const page of pages) queries.push({ ...(where && { where }), ...(sort && { sort }), ...page });
  for (const search of ['GRÖSSE 3', 'größe 3', 'event 1', 'nothing'])
    for (const sort of sorts) queries.push({ search, ...(sort && { sort }), limit: 6, where: { livestreamId: 3 } });
  return queries;
}

/** Each query is asked twice: the second may have counts from the first. */
export async function assertFinds(store: Store, rows: readonly Row[], queries: readonly Query[]): Promise<void> {
  for (const query of queries) {
    for (let time = 0; time < 2; time += 1) {
      const found = await store.find('events', query);
      const { ids, total } = expected(rows, query);
      assert.deepEqual(
        { ids: found.rows.map(({ id }) => id), total: found.total },
        { ids, total },
        JSON.stringify(query),
      );
    }
  }
}

export function historySuite(name: string, opened: Opened): void {
  describe(`${name}: history`, () => {
    it(`the history of a ${name} store answers as looking at every row would, before and after it has gone to files`, async (t) => {
      const { store, clock } = await opened(t);
      const nowMs = clock.now();
      const rows: Row[] = [];
      const add = (count: number): Promise<void> =>
        store.tx((tx) => {
          for (let left = count; left > 0; left -= 1) rows.push(tx.insert('events', someEvent(rows.length, nowMs)));
        });
      await add(70);
      await assertFinds(store, rows, queriesOf(nowMs));
      await store.checkpoint();
      await add(50);
      await assertFinds(store, rows, queriesOf(nowMs));
      await store.checkpoint();
      clock.advance(8 * DAY_MS);
      // Far from the others in time: in a file of its own.
      await store.tx((tx) => rows.push(tx.insert('events', someEvent(rows.length, clock.now()))));
      await store.checkpoint();
      await add(3);
      await assertFinds(store, rows, queriesOf(nowMs));
      assert.deepEqual((await store.get('events', 33))?.row, rows[32]);
      assert.equal(await store.get('events', 9_999), undefined);
      assert.deepEqual(await store.getMany('events', [124, 9_999, 2]), [rows[123], rows[1]]);
      assert.equal(store.counts().events, rows.length);
    });

    it(`the history of a ${name} store is in no plan, but takes part in its commit`, async (t) => {
      const { store } = await opened(t);
      const refused = /are history: a plan adds to them/u;
      for (const plan of [
        () => store.tx((tx) => tx.find('audit' as 'channels', {})),
        () => store.tx((tx) => tx.get('events' as 'channels', 1)),
        () => store.tx((tx) => tx.delete('idempotency' as 'channels', 1)),
      ])
        await assert.rejects(plan, refused);
      await assert.rejects(
        store.tx((tx) => tx.insert('audit', { ...auditRow('a'), id: 5 })),
        /gets its id from the store/u,
      );
      await assert.rejects(
        store.tx((tx) => tx.insert('audit', { ...auditRow('a'), at: 'yesterday' })),
        /field at of audit holds "yesterday"/u,
      );
      const failure = new Error('no');
      await assert.rejects(
        store.tx((tx) => {
          tx.insert('audit', auditRow('a'));
          throw failure;
        }),
        failure,
      );
      assert.equal((await store.find('audit', {})).total, 0);
      assert.equal((await store.tx((tx) => tx.insert('audit', auditRow('b')))).id, 1);
      await assert.rejects(store.find('audit', { where: { token_kid: 'kid' } }), isAppError('invalid_input'));
    });

    it(`the history of a ${name} store finds among many keys the newest entry of one`, async (t) => {
      const { store, clock } = await opened(t);
      const entry = (key: string, status: number): New<'idempotency'> => ({
        key,
        args_hash: 'hash',
        status,
        answer: '{}',
        sealed: false,
        expires_at: toIso(clock.now() + DAY_MS),
      });
      const find = async (key: string): Promise<number | undefined> => {
        const sort = { field: 'id', descending: true };
        return (await store.find('idempotency', { where: { key }, sort, limit: 1 })).rows[0]?.status;
      };
      for (const round of [1, 2]) {
        await store.tx((tx) => {
          for (let at = 0; at < 1500; at += 1) tx.insert('idempotency', entry(`${round} ${at}`, 200));
          tx.insert('idempotency', entry('again', 200 + round));
        });
        await store.checkpoint();
        assert.deepEqual([await find('1 7'), await find('again'), await find('9 9')], [200, 200 + round, undefined]);
      }
      clock.advance(DAY_MS);
      assert.equal(await find('1 7'), undefined, 'gone with its day');
    });

    it(`the history of a ${name} store goes when it is old, and never takes a newer row along`, async (t) => {
      const { store, clock } = await opened(t);
      const begunMs = clock.now();
      for (let week = 0; week < 20; week += 1) {
        await store.tx((tx) => tx.insert('events', eventRow({ at: toIso(clock.now()) })));
        await store.checkpoint();
        clock.advance(10 * DAY_MS);
        const { rows } = await store.find('events', {});
        const kept = Array.from({ length: week + 1 }, (_, each) => begunMs + each * 10 * DAY_MS).filter(
          (at) => clock.now() < at + 90 * DAY_MS,
        );
        assert.deepEqual(
          rows.map(({ at }) => Date.parse(at)),
          kept,
        );
      }
    });

    it(`the history of a ${name} store is whole in a document`, async (t) => {
      const { store, clock } = await opened(t);
      await store.tx((tx) => [1, 2, 3].forEach((at) => tx.insert('events', someEvent(at, clock.now()))));
      await store.checkpoint();
      await store.tx((tx) => tx.insert('audit', { ...auditRow('a'), at: toIso(clock.now()) }));
      const document = await documentOf(store);
      await assert.rejects(store.importDocument(textOf(document)), isAppError('conflict', /3 events, 1 audit/u));
      const other = (await opened(t)).store;
      const collections = { events: document.collections.events?.toReversed() };
      await assert.rejects(
        other.importDocument(textOf({ ...document, collections })),
        isAppError('invalid_input', /events\.1: has id 2 behind id 3/u),
      );
      assert.deepEqual(
        Object.values(other.counts()).filter((count) => count > 0),
        [],
      );
      await other.importDocument(textOf(document));
      await other.checkpoint();
      assert.deepEqual((await documentOf(other)).collections, document.collections);
      assert.equal((await other.tx((tx) => tx.insert('events', someEvent(4, clock.now())))).id, 4);
    });
  });
}
