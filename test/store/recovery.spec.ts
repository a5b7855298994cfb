/** What a start makes of what a crash, a damage or another version left in the data folder. */
import assert from 'node:assert/strict';
import { open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { Store } from '../../domain/store.ts';
import { openStore } from '../../store/open.ts';
import { writeSnapshot } from '../../store/snapshot.ts';
import { Tables } from '../../store/tables.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import {
  auditRow,
  contentsOf,
  crashedCopy,
  isAppError,
  journalsOf,
  livestream,
  openedStore,
  temporaryFolder,
} from './support.ts';

async function addOne(store: Store, name: string): Promise<number> {
  return (await store.tx((tx) => tx.insert('livestreams', livestream({ name })))).id;
}

async function namesIn(store: Store): Promise<string[]> {
  return (await store.find('livestreams', {})).rows.map(({ name }) => name);
}

/** A folder with `count` commits in one journal, one batch each, as a crash leaves it. */
async function crashedFolder(t: TestContext, count: number): Promise<{ dir: string; journal: string }> {
  const dir = await temporaryFolder(t);
  const store = await openedStore({ dir });
  for (let commit = 1; commit <= count; commit += 1) await addOne(store, `name ${commit}`);
  const copy = await crashedCopy(t, dir);
  return { dir: copy, journal: (await journalsOf(copy))[0]! };
}

async function folderWith(t: TestContext, files: Record<string, Buffer | string>): Promise<string> {
  const dir = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
  return dir;
}

async function overwrite(path: string, position: number, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.length, position);
  await handle.close();
}

async function lineStarts(path: string): Promise<number[]> {
  const text = await readFile(path, 'latin1');
  return [...text.matchAll(/[^\n]+\n/gu)].map(({ index }) => index);
}

/** Refused with the file and the line, and not a byte of the folder changed. */
async function assertRefused(dir: string, file: string, line: number | undefined): Promise<void> {
  const before = await contentsOf(dir);
  const place = line === undefined ? basename(file) : `${basename(file)}, line ${line}`;
  await assert.rejects(
    openStore({ kind: 'lowdb', dir }),
    isAppError('unavailable', new RegExp(`${place}.*Nothing was changed`, 'u')),
  );
  assert.deepEqual(await contentsOf(dir), before);
}

describe('a restart', () => {
  it('brings everything back, from the journal alone and from a snapshot', async (t) => {
    const dir = await temporaryFolder(t);
    const clock = new FakeClock();
    const store = await openedStore({ dir, clock });
    for (const name of ['a', 'b', 'c']) await addOne(store, name);
    await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', 2)!, name: 'B \u{1f600} \ud800 "\n' }));
    await store.tx((tx) => tx.delete('livestreams', 3));
    const lease = await store.claim('scheduler', 'one', 60_000);
    const document = await store.exportDocument();
    const crashed = await openedStore({ dir: await crashedCopy(t, dir), clock });
    await store.close();
    const names = await readdir(dir);
    assert.deepEqual(names.sort(), ['journal-00000002.jsonl', 'snapshot-00000002.jsonl']);
    for (const again of [crashed, await openedStore({ dir, clock })]) {
      assert.deepEqual(await again.exportDocument(), document);
      assert.deepEqual(await again.claim('scheduler', 'one', 60_000), lease);
      assert.equal(await again.claim('scheduler', 'two', 60_000), undefined);
      assert.equal(await again.changes(0), undefined);
      assert.equal(await addOne(again, 'd'), 4);
      await assert.rejects(addOne(again, 'a'), isAppError('conflict'));
    }
  });

  it('keeps ids gone for ever: deleted before a snapshot, or imported', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    const document = { ...(await store.exportDocument()), nextIds: { audit: 100 } };
    await store.importDocument(document);
    assert.equal(await addOne(store, 'a'), 1);
    await store.tx((tx) => tx.delete('livestreams', 1));
    const imported = await openedStore({ dir: await crashedCopy(t, dir) });
    assert.equal((await imported.tx((tx) => tx.insert('audit', auditRow('a')))).id, 100);
    await store.close();
    const again = await openedStore({ dir });
    assert.equal(await addOne(again, 'b'), 2);
    assert.equal((await again.tx((tx) => tx.insert('audit', auditRow('a')))).id, 100);
  });

  it('finds after any history of commits, checkpoints and crashes what was acknowledged', async (t) => {
    const steps = fc.array(fc.constantFrom('add', 'add', 'put', 'delete', 'many', 'checkpoint', 'crash', 'stop'), {
      minLength: 10,
      maxLength: 40,
    });
    const property = fc.asyncProperty(steps, async (history) => {
      let dir = await temporaryFolder(t);
      let store = await openedStore({ dir, clock: new FakeClock() });
      let added = 0;
      for (const step of history) {
        const { rows } = await store.find('livestreams', { limit: 1 });
        const [first] = rows;
        if (step === 'add') await addOne(store, `name ${(added += 1)}`);
        else if (step === 'many')
          await Promise.all(Array.from({ length: 8 }, () => addOne(store, `name ${(added += 1)}`)));
        else if (step === 'put' && first !== undefined)
          await store.tx((tx) => tx.put('livestreams', { ...first, enabled: !first.enabled }));
        else if (step === 'delete' && first !== undefined) await store.tx((tx) => tx.delete('livestreams', first.id));
        else if (step === 'checkpoint') await store.checkpoint();
        else if (step === 'crash' || step === 'stop') {
          const document = await store.exportDocument();
          if (step === 'crash') dir = await crashedCopy(t, dir);
          else await store.close();
          store = await openedStore({ dir, clock: new FakeClock() });
          assert.deepEqual(await store.exportDocument(), document);
        }
      }
    });
    await fc.assert(property, { numRuns: 8 });
  });
});

describe('a torn tail', () => {
  it('is cut wherever the last line ends, and the store goes on', async (t) => {
    const { journal } = await crashedFolder(t, 4);
    const whole = await readFile(journal);
    const start = (await lineStarts(journal)).at(-1)!;
    for (let end = start; end < whole.length; end += 7) {
      const dir = await folderWith(t, { 'journal-00000001.jsonl': whole.subarray(0, end) });
      const warnings: string[] = [];
      const store = await openedStore({ dir, warn: (message) => warnings.push(message) });
      assert.deepEqual(await namesIn(store), ['name 1', 'name 2', 'name 3']);
      assert.equal(warnings.length, end === start ? 0 : 1);
      const id = await addOne(store, 'after');
      const again = await openedStore({ dir: await crashedCopy(t, dir) });
      assert.equal((await again.get('livestreams', id))?.row.name, 'after');
    }
  });

  it('may hold blocks that never reached the disk, with whole lines of the same write behind them', async (t) => {
    const source = await temporaryFolder(t);
    const store = await openedStore({ dir: source });
    await addOne(store, 'name 1');
    await Promise.all(['name 2', 'name 3', 'name 4', 'name 5'].map((name) => addOne(store, name)));
    const dir = await crashedCopy(t, source);
    const journal = (await journalsOf(dir))[0]!;
    const starts = await lineStarts(journal);
    assert.match(await readFile(journal, 'utf8'), /"seq":5,"batch":2/u);
    await overwrite(journal, starts[3]! + 20, Buffer.alloc(40));
    const again = await openedStore({ dir });
    assert.deepEqual(await namesIn(again), ['name 1', 'name 2']);
    assert.equal(await addOne(again, 'name 6'), 3);
  });

  it('may be all there is of a journal', async (t) => {
    const whole = await readFile((await crashedFolder(t, 1)).journal);
    for (const torn of ['', '0badc0de {"format":', '\0'.repeat(100)]) {
      const dir = await folderWith(t, { 'journal-00000001.jsonl': whole, 'journal-00000002.jsonl': torn });
      const store = await openedStore({ dir });
      assert.deepEqual(await namesIn(store), ['name 1']);
      await addOne(store, 'name 2');
      const again = await openedStore({ dir: await crashedCopy(t, dir) });
      assert.deepEqual(await namesIn(again), ['name 1', 'name 2']);
    }
  });
});

describe('damage', () => {
  it('in any line before the last write stops the start', async (t) => {
    const { dir, journal } = await crashedFolder(t, 5);
    const whole = await readFile(journal);
    for (const [at, start] of (await lineStarts(journal)).entries()) {
      // In the checksum, in the text, and a block of NULs, which at the end of the file would pass for a tear.
      for (const [offset, bytes] of [
        [3, Buffer.from('x')],
        [30, Buffer.from('\u0001')],
        [12, Buffer.alloc(16)],
      ] as const) {
        // prettier-ignore
        if (at === 5 && bytes.length === 16) continue;
        await overwrite(journal, start + offset, bytes);
        await assertRefused(dir, journal, at + 1);
        await writeFile(journal, whole);
      }
    }
    const store = await openedStore({ dir });
    assert.equal((await namesIn(store)).length, 5);
  });

  it('of a journal that is not the last stops the start, its end too', async (t) => {
    const { dir, journal } = await crashedFolder(t, 3);
    const before = await readFile(journal);
    const store = await openedStore({ dir });
    await store.checkpoint();
    await addOne(store, 'name 4');
    // What a crash between the new journal and the end of its snapshot leaves.
    const crashed = await crashedCopy(t, dir);
    await rm(join(crashed, 'snapshot-00000002.jsonl'));
    const older = join(crashed, basename(journal));
    await writeFile(older, before);
    await writeFile(join(crashed, 'snapshot.tmp'), 'half');
    const whole = await openedStore({ dir: await crashedCopy(t, crashed) });
    assert.deepEqual(await namesIn(whole), ['name 1', 'name 2', 'name 3', 'name 4']);
    await truncate(older, before.length - 5);
    await assertRefused(crashed, older, 4);
    await truncate(older, (await lineStarts(older)).at(-1)!);
    await assertRefused(crashed, older.replace('00000001', '00000002'), undefined);
    await rm(older);
    await assertRefused(crashed, older, undefined);
  });

  it('of a snapshot stops the start, and so does a missing one', async (t) => {
    const { dir } = await crashedFolder(t, 3);
    const store = await openedStore({ dir });
    await store.checkpoint();
    await addOne(store, 'name 4');
    const crashed = await crashedCopy(t, dir);
    const snapshot = join(crashed, 'snapshot-00000002.jsonl');
    const whole = await readFile(snapshot);
    await overwrite(snapshot, (await lineStarts(snapshot))[2]! + 15, Buffer.from('!'));
    await assertRefused(crashed, snapshot, 3);
    await writeFile(snapshot, whole.subarray(0, (await lineStarts(snapshot)).at(-1)));
    await assertRefused(crashed, snapshot, undefined);
    await writeFile(snapshot, '');
    await assertRefused(crashed, snapshot, undefined);
    await rm(snapshot);
    await assertRefused(crashed, join(crashed, 'journal-00000001.jsonl'), undefined);
    await writeFile(snapshot, whole);
    await rm(join(crashed, 'journal-00000002.jsonl'));
    await assertRefused(crashed, join(crashed, 'journal-00000002.jsonl'), undefined);
  });
});

describe('the schema version', () => {
  const migrations = {
    1: ({ collections }: { collections: Map<string, Map<number, { row: Record<string, unknown> }>> }) => {
      for (const stored of collections.get('livestreams')?.values() ?? [])
        stored.row['name'] = `${String(stored.row['name'])}, migrated`;
    },
  };

  it('of a newer program, or without a way from an older, is refused with both numbers', async (t) => {
    const { dir } = await crashedFolder(t, 1);
    const before = await contentsOf(dir);
    await assert.rejects(
      openStore({ kind: 'lowdb', dir, schemaVersion: 3, migrations }),
      isAppError('unavailable', /version 1.*version 3.*from 2 to 3/u),
    );
    assert.deepEqual(await contentsOf(dir), before);
    const newer = await openedStore({ dir, schemaVersion: 2, migrations });
    await newer.close();
    const migrated = await contentsOf(dir);
    await assert.rejects(
      openStore({ kind: 'lowdb', dir, schemaVersion: 1 }),
      isAppError('unavailable', /version 2.*version 1/u),
    );
    assert.deepEqual(await contentsOf(dir), migrated);
  });

  it('of an older program is brought forward once, even when the first attempt was cut short', async (t) => {
    const { dir, journal } = await crashedFolder(t, 2);
    const before = await readFile(journal);
    const store = await openedStore({ dir, schemaVersion: 2, migrations });
    const migrated = ['name 1, migrated', 'name 2, migrated'];
    assert.deepEqual(await namesIn(store), migrated);
    assert.equal((await store.find('livestreams', { where: { name: 'name 2, migrated' } })).total, 1);
    const cutShort = await crashedCopy(t, dir);
    await rm(join(cutShort, 'snapshot-00000002.jsonl'));
    await writeFile(join(cutShort, basename(journal)), before);
    for (const folder of [cutShort, await crashedCopy(t, dir)]) {
      const again = await openedStore({ dir: folder, schemaVersion: 2, migrations });
      assert.deepEqual(await namesIn(again), migrated);
    }
  });

  it('of a document is brought forward too', async (t) => {
    const store = await openedStore({ dir: await temporaryFolder(t) });
    await addOne(store, 'a');
    const document = await store.exportDocument();
    const newer = await openStore({ kind: 'memory', schemaVersion: 2, migrations });
    await newer.importDocument(document);
    assert.deepEqual(await namesIn(newer), ['a, migrated']);
    assert.equal(document.collections.livestreams?.[0]?.row.name, 'a');
  });
});

describe('a checkpoint', () => {
  it('comes by itself beyond 8 MB of journal, and drops what it covers', async (t) => {
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

  it('takes place while commits go on, and loses none of them', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    await store.tx((tx) => Array.from({ length: 5_000 }, (_, at) => tx.insert('audit', auditRow(`user ${at}`))));
    for (let round = 0; round < 3; round += 1) {
      let running = true;
      const checkpoint = store.checkpoint().finally(() => (running = false));
      for (let turn = 0; running; turn += 1) {
        await store.tx((tx) => {
          tx.put('audit', { ...tx.get('audit', 1 + ((turn * 997) % 4_000))!, user: `round ${round} ${turn}` });
          tx.delete('audit', 4_001 + turn + round * 300);
          tx.insert('audit', auditRow(`new ${round} ${turn}`));
        });
      }
      await checkpoint;
      const again = await openedStore({ dir: await crashedCopy(t, dir) });
      assert.deepEqual((await again.exportDocument()).collections, (await store.exportDocument()).collections);
    }
  });

  it('does not count when commits that it may hold half of were refused', async (t) => {
    const dir = await temporaryFolder(t);
    const refused = new Error('refused');
    const header = { schemaVersion: 1, after: 0 };
    await assert.rejects(
      writeSnapshot(dir, 1, header, new Tables(), () => Promise.reject(refused)),
      (error) => error === refused,
    );
    assert.deepEqual(await readdir(dir), []);
    await writeSnapshot(dir, 1, header, new Tables(), () => Promise.resolve());
    assert.deepEqual(await readdir(dir), ['snapshot-00000001.jsonl']);
  });
});
