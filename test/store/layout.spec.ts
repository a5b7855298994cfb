/** A database that an earlier version has made gets the tables and functions that it lacks, and its members go on with their own. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openStore } from '../../store/open.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { openMember } from './shared-members.ts';

it('a database of layout 1 takes minutes of the audience once a server of this version has opened it', async (t) => {
  const running = await sharedServer();
  const url = await running.database();
  const database = new URL(url).pathname.slice(1);
  await (await openStore({ kind: 'postgres', url, warn: () => undefined })).close();
  const sql = (text: string): Promise<unknown[]> => running.query(text, database);
  await sql('drop table onair.audience_minutes');
  await sql('alter function onair.since_2 rename to since_1');
  const [{ identity }] = (await sql(
    "select oid::regprocedure::text as identity from pg_proc where proname = 'append_2'",
  )) as [{ identity: string }];
  await sql(`drop function ${identity}`);
  await sql('update onair.head set layout = 1');

  const members = await Promise.all([1, 2].map(() => openMember(t, url)));
  const sums = { sessions: 1, starts: 1, start_ms: 800, stalls: 0, stalled_ms: 0, watched_ms: 60_000 };
  const totals = { peak: 1, sessions: 1, seconds: 60, renditions: [], players: [], sums };
  const at = new Date().toISOString();
  const { id } = await members[0]!.tx((tx) =>
    tx.insert('audienceMinutes', { at, livestreamId: 7, runId: 'run', ...totals }),
  );
  const { rows } = await members[1]!.find('audienceMinutes', { where: { livestreamId: 7, at: { gte: at } } });
  assert.deepEqual(rows, [{ at, livestreamId: 7, runId: 'run', ...totals, id }]);
  assert.deepEqual(await sql('select layout from onair.head'), [{ layout: 2 }]);
  const kept = await sql("select proname from pg_proc where proname in ('since_1', 'since_2', 'append_2') order by 1");
  assert.deepEqual(kept, [{ proname: 'append_2' }, { proname: 'since_1' }, { proname: 'since_2' }]);
});
