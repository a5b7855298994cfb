import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { writeSnapshot } from '../../store/embedded/snapshot.ts';
import { Tables } from '../../store/tables/tables.ts';
import { crashedCopy } from './folders.ts';
import { actionRow, auditRow, livestream, openedStore, temporaryFolder } from './support.ts';
import { documentOf } from '../helpers/store-document.ts';

describe('a checkpoint', () => {
  it('a checkpoint comes by itself beyond 8 MB of journal, and drops what it covers', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    const text = 'x'.repeat(100_000);
    for (let commit = 0; commit < 100; commit += 1) {
      await store.tx((tx) =>
        commit === 0
          ? tx.insert('livestreams', livestream({ name: text }))
          : tx.put('livestreams', { ...tx.get('livestreams', 1)!, name: `${commit}${text}` }),
      );
    }
    // One that has begun is waited for by one that is asked for.
    await store.checkpoint();
    const sizes = await Promise.all((await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 4_000_000, `the folder holds ${sizes.join(' + ')} bytes`);
    const again = await openedStore({ dir: await crashedCopy(t, dir) });
    assert.equal((await again.get('livestreams', 1))?.version, 100);
  });

  it('a checkpoint takes place while commits go on, and loses none of them', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    await store.tx((tx) =>
      Array.from({ length: 5_000 }, (_, at) => tx.insert('plannedActions', actionRow(`user ${at}`))),
    );
    for (let round = 0; round < 3; round += 1) {
      let running = true;
      const checkpoint = store.checkpoint().finally(() => (running = false));
      for (let turn = 0; running; turn += 1) {
        await store.tx((tx) => {
          const row = tx.get('plannedActions', 1 + ((turn * 997) % 4_000))!;
          tx.put('plannedActions', { ...row, created_by: `round ${round} ${turn}` });
          tx.delete('plannedActions', 4_001 + turn + round * 300);
          tx.insert('audit', auditRow(`new ${round} ${turn}`));
        });
      }
      await checkpoint;
      const again = await openedStore({ dir: await crashedCopy(t, dir) });
      assert.deepEqual((await documentOf(again)).collections, (await documentOf(store)).collections);
    }
  });

  it('a checkpoint does not count when commits that it may hold half of were refused', async (t) => {
    const dir = await temporaryFolder(t);
    const refused = new Error('refused');
    const header = { schemaVersion: 1, after: 0 };
    await assert.rejects(
      writeSnapshot(dir, 1, { header, tables: new Tables(), settled: () => Promise.reject(refused) }),
      (error) => error === refused,
    );
    assert.deepEqual(await readdir(dir), []);
    await writeSnapshot(dir, 1, { header, tables: new Tables(), settled: () => Promise.resolve() });
    assert.deepEqual(await readdir(dir), ['snapshot-00000001.jsonl']);
  });
});
