/** Commits of other servers in the log that they share: as text, and as real ones in which any value is another. */
import assert from 'node:assert/strict';
import { COLLECTIONS } from '../../../domain/ports/collections.ts';
import { Replica } from '../../../store/shared/replica.ts';
import { findRows } from '../../../store/tables/resident-reads.ts';
import { Tables, type Replayed } from '../../../store/tables/tables.ts';
import { changed } from '../../device/link/garbled.ts';
import type { FuzzTarget } from '../target.ts';

const at = '2026-01-01T00:00:00.000Z';
const channel = {
  id: 1,
  name: 'Camera',
  alias: null,
  type: 'SRT',
  deviceId: null,
  settings: {},
  created_at: at,
  updated_at: at,
};
const run = { id: 2, desired: 'on', status: 1, runId: 'run-1', deviceId: 3, boundChannels: [1], lastEventSeq: 0 };
const owner = {
  id: 3,
  memberId: 'a',
  token: 4,
  acceptedMemberId: null,
  acceptedToken: 0,
  address: null,
  claimed_at: at,
};
const COMMITS: Replayed[] = [
  {
    ops: [
      ['channels', 1, 2, { ...channel, name: 'Studio' }],
      ['events', 5, 1],
    ],
  },
  { ops: [['runs', 2, 1, run]], nextIds: { runs: 9, events: 6 } },
  {
    ops: [
      ['deviceLinks', 3, 1, owner],
      ['channels', 1, 2, null],
    ],
  },
];

function textOf(tables: Tables): string {
  const rows = tables.all().map((table) => [table.name, [...table.entries()]]);
  return JSON.stringify([tables.seq, rows, tables.nextIds()]);
}

/** A member that has one row takes it in whole, or not at all; whatever it has then can be read. */
function take(body: string): void {
  const tables = new Tables();
  tables.replay(0, { ops: [['channels', 1, 1, channel]] });
  const replica = new Replica(tables, 'tip', {}, () => assert.fail('the store does not end'));
  const before = textOf(tables);
  let isTaken = false;
  try {
    const batch = { first: 1, seq: COMMITS.length, batch: 'next', body };
    replica.take({ kind: 'behind', batches: [batch] });
    isTaken = true;
  } catch (error) {
    assert.ok(error instanceof Error);
  }
  assert.equal(replica.position.tip, isTaken ? 'next' : 'tip');
  if (isTaken) assert.equal(replica.position.seq, COMMITS.length);
  else assert.equal(textOf(tables), before);
  for (const name of ['channels', 'runs', 'deviceLinks'] as const) {
    const { indexed, searched } = COLLECTIONS[name];
    for (const field of ['id', ...indexed]) findRows(tables, name, { sort: { field, descending: false } });
    if (searched.length > 0) findRows(tables, name, { search: 'a' });
  }
}

export const target: FuzzTarget = {
  seeds: [
    Buffer.from(`\u0001${JSON.stringify(COMMITS)}`),
    ...Array.from({ length: 24 }, (_, place) => Buffer.from([0, place, 3, 2])),
  ],
  run(bytes) {
    if ((bytes[0] ?? 0) % 2 === 1) return take(bytes.toString('utf8', 1));
    take(JSON.stringify(changed(COMMITS, bytes.subarray(1))) ?? 'null');
  },
};
