/** Three members of one store, while the database and they themselves are killed, paused and cut off. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { cleanUp } from '../helpers/clean-up.ts';
import { countOf } from '../helpers/counts.ts';
import { DatabasePair } from '../helpers/database-pair.ts';
import { PostgresServer } from '../helpers/postgres.ts';
import { openSmallDisk, smallDiskMissing } from '../helpers/servers/small-disk.ts';
import { until } from '../helpers/until.ts';
import { Members } from './members.ts';
import { openMember } from './shared-members.ts';

const ROUNDS = countOf(1, 40);
const FAILOVERS = countOf(2, 20);
/** An empty database takes 40 MB, and as much again for its log. */
const DISK_BYTES = 160 << 20;

it(`three members lose, double and reorder nothing in ${5 * ROUNDS} faults of theirs and the database's`, async (t) => {
  const server = await PostgresServer.start(t);
  const url = await server.database();
  const members = new Members(t, url);
  for (const name of ['one', 'two', 'three']) await members.start(name);
  await members.goOn(20);
  let killed = 'three';
  for (let round = 0; round < ROUNDS; round += 1) {
    await server.kill();
    await server.run();
    await members.goOn(10);
    await server.endConnections();
    await members.goOn(10);
    members.signal('one', 'SIGSTOP');
    await members.goOn(10, ['two']);
    members.signal('one', 'SIGCONT');
    await members.goOn(10);
    await members.kill(killed);
    await members.goOn(10);
    killed = `three-${round}`;
    await members.start(killed);
    await members.goOn(10);
    await server.restart();
    await members.goOn(10);
  }
  await checkAll(t, members, url);
  const gaps = await server.query(
    'select seq from (select seq, first, lag(seq) over (order by seq) before from onair.commits) log where first <> before + 1',
    new URL(url).pathname.slice(1),
  );
  assert.deepEqual(gaps, [], 'a commit of the log is missing');
});

it(`three members lose nothing in ${FAILOVERS} failovers to a synchronous standby`, async (t) => {
  const pair = await DatabasePair.start(t);
  const [{ url } = { url: '' }] = await pair.database(1);
  const members = new Members(t, url);
  for (const name of ['one', 'two', 'three']) await members.start(name);
  await members.goOn(20);
  for (let turn = 0; turn < FAILOVERS; turn += 1) {
    await pair.failOver();
    await members.goOn(20);
  }
  await checkAll(t, members, url);
});

it('three members lose nothing while the disk of the database is full', { skip: smallDiskMissing() }, async (t) => {
  const disk = await openSmallDisk(DISK_BYTES);
  cleanUp(t, () => disk.stop());
  const server = await PostgresServer.onSmallDisk(t, disk, ['max_wal_size = 48MB', 'min_wal_size = 32MB']);
  const url = await server.database();
  const members = new Members(t, url);
  for (const name of ['one', 'two', 'three']) await members.start(name);
  await members.goOn(20);
  disk.fill();
  const refused = (): number => members.operations.filter(({ element, list }) => element !== undefined && !list).length;
  // PostgreSQL itself ends where its log finds no room, and is started anew, as systemd does it.
  await until('writes are refused', () => refused() > 5);
  disk.free();
  await server.kill();
  await server.run();
  await members.goOn(20);
  await checkAll(t, members, url);
});

async function checkAll(t: TestContext, members: Members, url: string): Promise<void> {
  await members.end();
  const store = await openMember(t, url);
  await members.check(store);
  t.diagnostic(`${members.acknowledged} writes acknowledged, longest ${Math.round(members.longestMs())} ms`);
}
