/** Queries against a naive implementation that filters, sorts and cuts every row. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { countOf } from '../helpers/counts.ts';
import type { Condition, Query, Scalar, Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { livestream, openedStore, temporaryFolder } from './support.ts';

// A counterexample is made smaller for so long, and then shown as it is.

type Row = Record<string, unknown> & { id: number };

const names = ['', 'a', 'B', 'b', 'ba', 'bar', 'Bär', 'é', '\ud83d\ude00', '\uffff', '\uffffz'];
const fields = {
  name: fc.constantFrom(...names),
  enabled: fc.boolean(),
  channelId: fc.constantFrom(null, 1, 2, 3, 10),
  deviceId: fc.option(fc.integer({ min: 1, max: 50 })),
  created_at: fc
    .integer({ min: 0, max: 99 })
    .map((second) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`),
  // Undeclared kinds too: an index keeps whatever a row holds in order.
  idEncoderGroup: fc.constantFrom<Scalar | undefined>(undefined, null, false, true, -1, 0, 1.5, 'a', '1'),
};
const field = fc.constantFrom('id', ...(Object.keys(fields) as (keyof typeof fields)[]));
const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.integer({ min: -1, max: 60 }),
  fc.constantFrom(...names, null, true, false),
  fields.created_at,
);
const bound = fc.oneof(fc.integer({ min: -1, max: 60 }), fc.constantFrom(...names), fields.created_at);
const condition: fc.Arbitrary<Condition | undefined> = fc.oneof(
  scalar,
  fc.record({ in: fc.array(scalar, { maxLength: 6 }) }),
  fc.record({ notIn: fc.array(scalar, { maxLength: 6 }) }),
  fc.record({ gte: bound, lt: bound }, { requiredKeys: [] }),
  fc.record({ prefix: fc.constantFrom(...names, '2026-01-01T00:00:1') }),
  fc.constant(undefined),
);
const query: fc.Arbitrary<Query> = fc.record(
  {
    where: fc.array(fc.tuple(field, condition), { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
    search: fc.constantFrom('', 'B', 'ä', 'zz'),
    sort: fc.record({ field, descending: fc.boolean() }),
    offset: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 400 })),
    limit: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 400 })),
  },
  { requiredKeys: [] },
);
type Step = { put: Record<keyof typeof fields, unknown>; at: number } | { remove: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ put: fc.record(fields), at: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(400) }) },
);
const history = fc.oneof(fc.array(step, { maxLength: 30 }), fc.array(step, { minLength: 200, maxLength: 400 }));

/** Rows are put where `at` names one, else inserted. Names are unique, so each gets a number behind. */
async function play(store: Store, steps: readonly Step[]): Promise<Row[]> {
  const rows = new Map<number, Row>();
  for (const [turn, each] of steps.entries()) {
    await store.tx((tx) => {
      if ('remove' in each) {
        tx.delete('livestreams', each.remove);
        rows.delete(each.remove);
        return;
      }
      const draft = livestream({ ...each.put, name: `${String(each.put.name)} ${turn}` } as never);
      const id = rows.has(each.at) ? each.at : tx.insert('livestreams', draft).id;
      if (id === each.at && rows.has(id)) tx.put('livestreams', { ...draft, id } as never);
      rows.set(id, JSON.parse(JSON.stringify({ ...draft, id })) as Row);
    });
  }
  return [...rows.values()];
}

function naive(
  rows: readonly Row[],
  { where = {}, search = '', sort = { field: 'id', descending: false }, offset = 0, limit = Infinity }: Query,
): unknown {
  const sign = sort.descending ? -1 : 1;
  const value = (row: Row, name: string): Scalar => (row[name] ?? null) as Scalar;
  const matching = rows
    .filter((row) =>
      Object.entries(where).every(([name, wanted]) => wanted === undefined || holds(value(row, name), wanted)),
    )
    .filter((row) => String(row['name']).toLowerCase().includes(search.toLowerCase()))
    .sort((a, b) => sign * compare(value(a, sort.field), value(b, sort.field)) || a.id - b.id);
  return { rows: matching.slice(offset, offset + limit), total: matching.length };
}

function holds(value: Scalar, wanted: Condition): boolean {
  if (wanted === null || typeof wanted !== 'object') return value === wanted;
  if ('in' in wanted) return wanted.in.includes(value);
  if ('notIn' in wanted) return !wanted.notIn.includes(value);
  if ('prefix' in wanted) return typeof value === 'string' && value.startsWith(wanted.prefix);
  const { gte, lt } = wanted;
  if (gte !== undefined && (typeof value !== typeof gte || value! < gte)) return false;
  return lt === undefined || (typeof value === typeof lt && value! < lt);
}

function compare(a: Scalar, b: Scalar): number {
  const kinds = ['object', 'boolean', 'number', 'string'];
  if (typeof a !== typeof b) return kinds.indexOf(typeof a) - kinds.indexOf(typeof b);
  return a === b ? 0 : a! < b! ? -1 : 1;
}

it('a query answers what filtering, sorting and cutting every row would', async () => {
  const property = fc.asyncProperty(
    history,
    fc.array(query, { minLength: 20, maxLength: 40 }),
    async (steps, queries) => {
      const store = await openStore({ kind: 'memory' });
      const rows = await play(store, steps);
      for (const each of queries)
        assert.deepEqual(await store.find('livestreams', each), naive(rows, each), JSON.stringify(each));
    },
  );
  await fc.assert(property, { numRuns: countOf(30, 200), seed: 1 });
});

it('a query answers the same from indexes that a restart built', async (t) => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 100, maxLength: 200 }),
    fc.array(query, { minLength: 40, maxLength: 60 }),
    async (steps, queries) => {
      const dir = await temporaryFolder(t);
      const store = await openedStore({ dir });
      const rows = await play(store, steps);
      await store.close();
      const again = await openedStore({ dir });
      for (const each of queries)
        assert.deepEqual(await again.find('livestreams', each), naive(rows, each), JSON.stringify(each));
      await again.close();
    },
  );
  await fc.assert(property, { numRuns: countOf(2, 10), seed: 1 });
});

it('a query answers pages of many rows in any order, deep ones and runs of equal values too', async () => {
  const store = await openStore({ kind: 'memory' });
  const rows = new Map<number, Row>();
  const write = async (at: number, turn: number): Promise<void> => {
    const draft = {
      name: `n${(at * 7919) % 4_001}-${turn}`,
      channelId: at % 40 === 0 ? 1 : 2,
      deviceId: at,
      enabled: at % 2 === 0,
    };
    const row = await store.tx((tx) => {
      if (!rows.has(at)) return tx.insert('livestreams', livestream(draft));
      tx.put('livestreams', { ...tx.get('livestreams', at)!, ...draft });
      return tx.get('livestreams', at)!;
    });
    rows.set(row.id, row as unknown as Row);
  };
  for (let at = 1; at <= 4_000; at += 1) await write(at, 0);
  for (let at = 1; at <= 4_000; at += 5) await write(at, 1);
  await store.tx((tx) => {
    for (let id = 2; id <= 4_000; id += id < 2_000 ? 2 : 9) {
      tx.delete('livestreams', id);
      rows.delete(id);
    }
  });
  const all = [...rows.values()];
  const filters: Query['where'][] = [
    undefined,
    { channelId: 1 },
    { channelId: 2 },
    { channelId: { in: [1, 2] } },
    { channelId: 1, enabled: true },
    // Matches that lie together, at the far end of the orders by id and by Device.
    { deviceId: { lt: 200 } },
    { deviceId: { gte: 3_600 } },
  ];
  for (const where of filters) {
    for (const name of ['id', 'name', 'channelId', 'deviceId', 'enabled']) {
      for (const descending of [false, true]) {
        for (const [offset, limit] of [
          [0, 1],
          [0, 60],
          [20, 60],
          [70, 60],
          [1_499, 60],
          [1_500, 60],
          [2_700, 60],
          [3_000, 1],
          [0, 4_000],
        ] as const) {
          const each: Query = { where, sort: { field: name, descending }, offset, limit };
          assert.deepEqual(await store.find('livestreams', each), naive(all, each), JSON.stringify(each));
        }
      }
    }
  }
});
