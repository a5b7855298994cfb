/** `onair store move` brings everything into a database and back, and leaves what was there as it was. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openStore } from '../../store/open.ts';
import { addUsers } from '../app/users.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { documentOf } from '../helpers/store-document.ts';
import { auditRow, eventRow, livestream, temporaryFolder } from '../store/support.ts';

/** The rows of the test are of one day long ago. */
const keptMs = { events: Infinity, audit: Infinity };
const PROGRAM = fileURLToPath(new URL('../../bin/onair.js', import.meta.url));

async function run(env: Record<string, string>, ...words: string[]): Promise<{ code: number; text: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, ...words], {
      env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: env['ONAIR_DATA'], ...env },
    });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

it('a store moves into a database and back, whole and the same, and no password comes by the command line', async (t) => {
  const data = await temporaryFolder(t);
  const url = await (await sharedServer()).database();
  const lowdb = await openStore({ kind: 'lowdb', dir: join(data, 'store'), keptMs });
  await addUsers(lowdb);
  await lowdb.tx((tx) => {
    for (const name of ['a', 'b', 'c']) tx.insert('livestreams', livestream({ name }));
    for (let at = 0; at < 1_200; at += 1) tx.insert('audit', auditRow(`user ${at}`));
    tx.insert('events', eventRow({ message: 'nul \0 and half a pair \ud83d', data: { z: 1, a: [null, 'x'] } }));
    tx.delete('livestreams', 3);
  });
  const before = await documentOf(lowdb);
  await lowdb.close();
  const refused = await run({ ONAIR_DATA: data }, 'store', 'move', '--to', url.replace('onair@', 'onair:hidden@'));
  assert.ok(
    refused.code !== 0 && /list of processes/u.test(refused.text) && !/hidden/u.test(refused.text),
    refused.text,
  );
  const there = await run({ ONAIR_DATA: data }, 'store', 'move', '--to', url);
  assert.equal(there.code, 0, there.text);
  assert.match(there.text, /\d+ rows are in database store_1.*hash/u);
  const again = await run({ ONAIR_DATA: data }, 'store', 'move', '--to', url);
  assert.ok(again.code !== 0 && /holds rows already/u.test(again.text), again.text);
  const back = await run({ ONAIR_DATA: data, ONAIR_STORE: url }, 'store', 'move', '--to', 'lowdb');
  assert.equal(back.code, 0, back.text);
  const [, kept = ''] = /is in (\S+) now/u.exec(back.text) ?? [];
  const former = await openStore({ kind: 'lowdb', dir: kept, keptMs });
  assert.equal((await former.find('livestreams', {})).total, 2, 'the store that was there is kept');
  await former.close();
  const moved = await openStore({ kind: 'lowdb', dir: join(data, 'store'), keptMs });
  const { exported_at: _at, ...after } = await documentOf(moved);
  const { exported_at: _before, ...wanted } = before;
  assert.deepEqual(after, wanted);
  assert.equal((await moved.tx((tx) => tx.insert('livestreams', livestream({ name: 'd' })))).id, 4);
  await moved.close();
});
