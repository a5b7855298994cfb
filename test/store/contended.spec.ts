/** Members of a shared store while others hold its head: what waits, what does not, and how often a plan is decided. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import pg from 'pg';
import type { Store } from '../../domain/ports/store.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { until } from '../helpers/until.ts';
import { openMember, serversOnALine } from './shared-members.ts';
import { actionRow, eventRow } from './support.ts';

/** Two members, and somebody who holds the head. */
async function contended(t: TestContext) {
  const server = await sharedServer();
  const url = await server.database();
  const [one, two] = [await openMember(t, url), await openMember(t, url)];
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    cleanUp(t, () => client.end());
    return client;
  };
  // A transaction sees who waits as it was when it looked first.
  const [client, watcher] = [await connect(), await connect()];
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return {
    one,
    two,
    query: (text: string) => watcher.query<Record<string, unknown>>(text),
    hold: async () => {
      await client.query('begin');
      await client.query('select from onair.head for update');
    },
    release: () => client.query('commit'),
    areWaiting: (count: number) =>
      until('they wait for the head', async () => (await watcher.query(waiting)).rowCount === count),
  };
}

const write = (store: Store, text: string): Promise<unknown> =>
  store.tx((tx) => tx.insert('plannedActions', actionRow(text)));

it('reads and views of a member are answered while its commits wait for those of others', async (t) => {
  const { one, two, hold, release, areWaiting } = await contended(t);
  await write(two, 'before');
  // A connection that is opened writes to the head, too.
  assert.equal((await one.find('plannedActions', {})).total, 1);
  await hold();
  const writing = [write(one, 'first'), write(one, 'second')];
  await areWaiting(1);
  const seen = await one.view((view) => view.find('plannedActions', {}).rows.map(({ created_by }) => created_by));
  assert.deepEqual(seen, ['before'], 'what is not committed is not seen');
  assert.equal((await one.find('plannedActions', {})).total, 1);
  await release();
  await Promise.all(writing);
  assert.equal(await two.view((view) => view.find('plannedActions', {}).total), 3);
});

it('a member that others write beside decides its next plans once, when nobody else can write, and in their order', async (t) => {
  const { one, two, hold, release, areWaiting, query } = await contended(t);
  /** Both want the head at once, the first before the second; answers how often the plan of the second ran. */
  const inTurn = async (text: string, month?: string): Promise<number> => {
    let runs = 0;
    await hold();
    const first = write(one, `${text} before`);
    await areWaiting(1);
    const second = two.tx((tx) => {
      runs += 1;
      tx.insert('plannedActions', actionRow(text));
      if (month !== undefined) tx.insert('events', eventRow({ at: `${month}-02T00:00:00.000Z` }));
    });
    await areWaiting(2);
    await release();
    await Promise.all([first, second]);
    return runs;
  };
  const turns: number[] = [];
  await until(
    'a plan is decided once',
    async () => turns.push(await inTurn(`turn ${turns.length}`)) > 1 && turns.at(-1) === 1,
  );
  assert.equal(turns[0], 2, 'nothing was known of others');
  const { rows } = await one.find('plannedActions', { sort: { field: 'id', descending: false } });
  const texts = turns.flatMap((_, at) => [`turn ${at} before`, `turn ${at}`]);
  assert.deepEqual(
    rows.map(({ created_by }) => created_by),
    texts,
  );
  // The partition of a month is made in any case.
  await inTurn('of a month', '2031-05');
  const events = await query('select c.relname as place from onair.events e join pg_class c on c.oid = e.tableoid');
  assert.deepEqual(
    events.rows.map(({ place }) => place),
    ['events_2031_05'],
  );
});

it('an event that one member stores is known to the others with its commit, and is not read from the database', async (t) => {
  const [one, two, line] = await serversOnALine(t, await (await sharedServer()).database());
  const heard: number[] = [];
  two.onChange((changes) => heard.push(...changes.map(({ id }) => id)));
  const rows = await one.tx((tx) => ['a', 'b', 'c'].map((message) => tx.insert('events', eventRow({ message }))));
  await until('the other has heard', () => heard.length === 3);
  line.stall();
  assert.deepEqual(await two.getMany('events', heard), rows);
  assert.deepEqual((await two.get('events', rows[1]!.id))?.row, rows[1]);
  assert.ok((await two.getMany('events', heard)).every((row) => Object.isFrozen(row) && Object.isFrozen(row.data)));
  line.mend();
});
