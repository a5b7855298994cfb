/** A restart brings back all that was acknowledged, after a clean stop, a crash or a torn write. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countOf } from '../helpers/counts.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import {
  addOne,
  crashedCopy,
  crashedFolder,
  folderWith,
  journalsOf,
  lineStarts,
  namesIn,
  overwrite,
} from './folders.ts';
import { auditRow, eventRow, isAppError, openedStore, temporaryFolder } from './support.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';

describe('a restart', () => {
  it('a restart brings everything back, from the journal alone and from a snapshot', async (t) => {
    const dir = await temporaryFolder(t);
    const clock = new FakeClock();
    const store = await openedStore({ dir, clock });
    for (const name of ['a', 'b', 'c']) await addOne(store, name);
    await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', 2)!, name: 'B \u{1f600} \ud800 "\n' }));
    await store.tx((tx) => tx.delete('livestreams', 3));
    const lease = await store.claim('scheduler', 'one', 60_000);
    const document = await documentOf(store);
    const crashed = await openedStore({ dir: await crashedCopy(t, dir), clock });
    await store.close();
    const names = await readdir(dir);
    assert.deepEqual(names.sort(), [
      'format',
      'journal-00000002.jsonl',
      'lock',
      'lock.json.tmp',
      'snapshot-00000002.jsonl',
    ]);
    for (const again of [crashed, await openedStore({ dir, clock })]) {
      assert.deepEqual(await documentOf(again), document);
      assert.deepEqual(await again.claim('scheduler', 'one', 60_000), lease);
      assert.equal(await again.claim('scheduler', 'two', 60_000), undefined);
      assert.equal(await again.changes(0), undefined);
      assert.equal(await addOne(again, 'd'), 4);
      await assert.rejects(addOne(again, 'a'), isAppError('conflict'));
    }
  });

  it('a restart keeps ids gone for ever: deleted before a snapshot, or imported', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    const document = { ...(await documentOf(store)), nextIds: { audit: 100 } };
    await store.importDocument(textOf(document));
    assert.equal(await addOne(store, 'a'), 1);
    await store.tx((tx) => tx.delete('livestreams', 1));
    const imported = await openedStore({ dir: await crashedCopy(t, dir) });
    assert.equal((await imported.tx((tx) => tx.insert('audit', auditRow('a')))).id, 100);
    await store.close();
    const again = await openedStore({ dir });
    assert.equal(await addOne(again, 'b'), 2);
    assert.equal((await again.tx((tx) => tx.insert('audit', auditRow('a')))).id, 100);
  });

  it('a restart after any history of commits, checkpoints and crashes finds what was acknowledged', async (t) => {
    const steps = fc.array(
      fc.constantFrom('add', 'add', 'put', 'delete', 'many', 'happen', 'checkpoint', 'crash', 'stop'),
      {
        minLength: 10,
        maxLength: 40,
      },
    );
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
        // So many that every third moves them to their file.
        else if (step === 'happen')
          await store.tx((tx) => Array.from({ length: 400 }, () => tx.insert('events', eventRow())));
        else if (step === 'put' && first !== undefined)
          await store.tx((tx) => tx.put('livestreams', { ...first, enabled: !first.enabled }));
        else if (step === 'delete' && first !== undefined) await store.tx((tx) => tx.delete('livestreams', first.id));
        else if (step === 'checkpoint') await store.checkpoint();
        else if (step === 'crash' || step === 'stop') {
          const document = await documentOf(store);
          if (step === 'crash') dir = await crashedCopy(t, dir);
          else await store.close();
          store = await openedStore({ dir, clock: new FakeClock() });
          assert.deepEqual(await documentOf(store), document);
        }
      }
    });
    await fc.assert(property, { numRuns: countOf(3, 20), seed: 1 });
  });
});

describe('a torn tail', () => {
  it('a torn tail is cut wherever the last line ends, and the store goes on', async (t) => {
    const { journal } = await crashedFolder(t, 4);
    const whole = await readFile(journal);
    const start = (await lineStarts(journal)).at(-1)!;
    for (let end = start; end < whole.length; end += countOf(97, 7)) {
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

  it('a torn tail may hold blocks that never reached the disk, with whole lines of the same write behind them', async (t) => {
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

  it('a torn tail may be all there is of a journal', async (t) => {
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
