/** The shared store lets go what is too old, and nothing else. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import { parseAddress } from '../../store/shared/database/address.ts';
import { HistoryReads } from '../../store/shared/history.ts';
import { tidy } from '../../store/shared/tidy.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { openMember } from './shared-members.ts';
import { auditRow, eventRow } from './support.ts';

const DAY_MS = 86_400_000;
/** One that has read no commit yet; a running one reads on. */
const OTHER_MEMBER = `insert into onair.members select gen_random_uuid(), name, program, speaks, 0, started_at, renewed_at
  from onair.members limit 1`;

it('what is too old goes by months and keys, and the log up to its last hour', async (t) => {
  const running = await sharedServer();
  const url = await running.database();
  const database = new URL(url).pathname.slice(1);
  const clock = new FakeClock();
  const store = await openMember(t, url, { clock });
  const reads = new HistoryReads(parseAddress(url), undefined, () => clock.now());
  cleanUp(t, () => reads.close());
  const run = (text: string, values: readonly unknown[]): Promise<(string | null)[][]> => reads.query(text, values);
  const partitions = async (): Promise<string[]> =>
    (
      await running.query(
        "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'onair.events'::regclass order by 1",
        database,
      )
    ).map(({ relname }) => relname as string);
  for (let month = 0; month < 6; month += 1) {
    await store.tx((tx) => {
      const at = toIso(clock.now());
      tx.insert('events', eventRow({ at }));
      tx.insert('audit', { ...auditRow('a'), at });
      tx.claimKey({
        key: `key ${month}`,
        args_hash: 'hash',
        status: 200,
        answer: '{}',
        sealed: false,
        expires_at: toIso(clock.now() + DAY_MS),
      });
    });
    clock.advance(30 * DAY_MS);
  }
  const all = ['events_2026_01', 'events_2026_03', 'events_2026_04', 'events_2026_05', 'events_other'];
  assert.deepEqual(await partitions(), all);
  const before = (await store.find('events', {})).rows;
  await tidy(run, undefined, clock.now());
  // Events are kept for 90 days: the oldest that stays is of the beginning of April, and two of January are in one month.
  assert.deepEqual(await partitions(), ['events_2026_04', 'events_2026_05', 'events_other']);
  assert.deepEqual((await store.find('events', {})).rows, before);
  assert.equal((await store.find('audit', {})).total, 6);
  const keys = await running.query('select count(*)::int as count from onair.idempotency', database);
  assert.deepEqual(keys, [{ count: 0 }]);
  await tidy(run, { events: Infinity, audit: Infinity }, clock.now() + 1000 * DAY_MS);
  assert.equal((await partitions()).length, 3);
  // The log goes once it is an hour old and no member needs it; its last commit stays.
  await running.query("update onair.commits set at = at - interval '2 hours'", database);
  await running.query(OTHER_MEMBER, database);
  await tidy(run, undefined, clock.now());
  const kept = await running.query('select min(seq)::int as min, max(seq)::int as max from onair.commits', database);
  assert.equal(kept[0]!['max'], 6);
  assert.equal(kept[0]!['min'], 0, 'a member was last heard of at the beginning');
  await running.query('update onair.members set seq = 6', database);
  await tidy(run, undefined, clock.now());
  assert.deepEqual(await running.query('select seq::int from onair.commits', database), [{ seq: 6 }]);
  await store.tx((tx) => tx.insert('audit', { ...auditRow('b'), at: toIso(clock.now()) }));
});
