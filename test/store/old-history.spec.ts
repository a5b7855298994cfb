/** A data folder of schema version 1, which had history among all other rows: written by that version, and killed. */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Store } from '../../domain/ports/store.ts';
import { lineOf } from '../../store/files/lines.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { crashedCopy } from './folders.ts';
import { openedStore, temporaryFolder } from './support.ts';

const OLD = fileURLToPath(new URL('fixtures/version-1', import.meta.url));
const SNAPSHOT = 'snapshot-00000002.jsonl';

async function oldFolder(t: TestContext): Promise<string> {
  const dir = await temporaryFolder(t);
  await cp(OLD, dir, { recursive: true });
  return dir;
}

async function check(store: Store): Promise<void> {
  const eighteen = Array.from({ length: 18 }, (_, at) => at + 1);
  const ids = async (name: 'audit' | 'events'): Promise<number[]> =>
    (await store.find(name, {})).rows.map(({ id }) => id).sort((a, b) => a - b);
  assert.deepEqual(await ids('events'), eighteen);
  // The first had been removed before the snapshot; the second was after it, for its age, and goes with its file.
  assert.deepEqual(await ids('audit'), eighteen.slice(1));
  const { rows } = await store.find('audit', {
    where: { user: 'admin', operation: 'op1' },
    sort: { field: 'at', descending: true },
  });
  assert.deepEqual(
    rows.map(({ id }) => id),
    [13, 7],
  );
  assert.deepEqual((await store.get('events', 17))?.row.data, { n: 17 });
  const keyed = async (key: string): Promise<number | undefined> =>
    (await store.find('idempotency', { where: { key } })).rows.map(({ status }) => status).at(-1);
  assert.deepEqual(await Promise.all(['key 1', 'key 3', 'key 5', 'key 6', 'key 18'].map(keyed)), [
    200,
    201,
    202,
    undefined,
    200,
  ]);
  assert.equal((await store.find('idempotency', {})).total, 17);
  assert.deepEqual(
    (await store.find('livestreams', {})).rows.map(({ name }) => name),
    ['a', 'b'],
  );
}

it('history of an earlier store version is converted by the first start, also after a conversion that a crash cut short', async (t) => {
  const clock = new FakeClock();
  const dir = await oldFolder(t);
  const store = await openedStore({ dir, clock });
  await check(store);
  const names = await readdir(dir);
  assert.deepEqual(names.filter((name) => name.endsWith('.jsonl')).sort(), [
    'journal-00000003.jsonl',
    'snapshot-00000003.jsonl',
  ]);
  assert.doesNotMatch(
    await readFile(join(dir, 'snapshot-00000003.jsonl'), 'utf8'),
    /\["(?:audit|events|idempotency)",/u,
  );
  // What a crash before the new snapshot leaves: the old files, and history files that nothing names.
  const cutShort = await crashedCopy(t, dir);
  await writeFile(join(cutShort, 'journal-00000003.jsonl'), '');
  await cp(OLD, cutShort, { recursive: true });
  await writeFile(join(cutShort, 'snapshot.tmp'), 'half');
  await rm(join(cutShort, 'snapshot-00000003.jsonl'));
  for (const folder of [cutShort, await crashedCopy(t, dir)]) await check(await openedStore({ dir: folder, clock }));
  const { id } = await store.tx((tx) =>
    tx.insert('events', {
      at: '2026-01-01T00:01:00.000Z',
      livestreamId: 1,
      kind: 'stopped',
      severity: 'info',
      message: '',
      data: {},
    }),
  );
  assert.equal(id, 19);
});

it('a history row of an earlier store version that is in snapshot and journal is converted once', async (t) => {
  const dir = await oldFolder(t);
  const [journal = ''] = (await readFile(join(dir, 'journal-00000002.jsonl'), 'utf8')).split('\n').slice(1);
  const { ops } = JSON.parse(journal.slice(9)) as { ops: unknown[] };
  const path = join(dir, SNAPSHOT);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const footer = JSON.parse(lines.pop()!.slice(9)) as { rows: number };
  const more = ops.map((op) => lineOf(JSON.stringify(op)));
  await writeFile(
    path,
    `${lines.join('\n')}\n${more.join('')}${lineOf(JSON.stringify({ ...footer, rows: footer.rows + more.length }))}`,
  );
  await check(await openedStore({ dir, clock: new FakeClock() }));
});
