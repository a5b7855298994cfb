/** Three members of one store, while the database and they themselves are killed, paused and cut off. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openStore } from '../../store/open.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { countOf } from '../helpers/counts.ts';
import { PostgresServer } from '../helpers/postgres.ts';
import { Members } from './members.ts';

const ROUNDS = countOf(1, 40);

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
  await members.end();
  const store = await openStore({ kind: 'postgres', url, warn: () => undefined });
  cleanUp(t, () => store.close());
  await members.check(store);
  const gaps = await server.query(
    'select seq from (select seq, first, lag(seq) over (order by seq) before from onair.commits) log where first <> before + 1',
    new URL(url).pathname.slice(1),
  );
  assert.deepEqual(gaps, [], 'a commit of the log is missing');
  t.diagnostic(
    `${members.acknowledged} writes acknowledged of ${members.operations.length} operations, longest ${Math.round(members.longestMs())} ms`,
  );
});
