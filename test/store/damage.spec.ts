/** Damage stops the start, with the file and the line, and changes nothing. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '../../store/open.ts';
import {
  addOne,
  contentsOf,
  crashedCopy,
  crashedFolder,
  journalsOf,
  lineStarts,
  namesIn,
  overwrite,
} from './folders.ts';
import { auditRow, isAppError, openedStore } from './support.ts';

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

describe('damage', () => {
  it('damage in any line before the last write stops the start', async (t) => {
    const { dir, journal } = await crashedFolder(t, 5);
    const whole = await readFile(journal);
    for (const [at, start] of (await lineStarts(journal)).entries()) {
      // In the checksum, in the text, and a block of NULs, which at the end of the file would pass for a tear.
      for (const [offset, bytes] of [
        [3, Buffer.from('x')],
        [30, Buffer.from('\u0001')],
        [12, Buffer.alloc(16)],
      ] as const) {
        if (at === 5 && bytes.length === 16) continue;
        await overwrite(journal, start + offset, bytes);
        await assertRefused(dir, journal, at + 1);
        await writeFile(journal, whole);
      }
    }
    const store = await openedStore({ dir });
    assert.equal((await namesIn(store)).length, 5);
  });

  it('damage of a journal that is not the last stops the start, its end too', async (t) => {
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

  it('damage of a snapshot stops the start, and so does a missing one', async (t) => {
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

  it('damage of the only journal stops the start: removed, emptied or cut within its first line', async (t) => {
    const { dir, journal } = await crashedFolder(t, 3);
    const whole = await readFile(journal);
    await rm(journal);
    await assertRefused(dir, journal, undefined);
    for (const left of [0, 10]) {
      await writeFile(journal, whole.subarray(0, left));
      await assertRefused(dir, journal, undefined);
    }
    await writeFile(journal, whole);
    const store = await openedStore({ dir });
    await store.close();
    const [next] = await journalsOf(dir);
    await truncate(next!, 0);
    await assertRefused(dir, next!, undefined);
  });

  it('a missing journal is known by the history that was kept beside it', async (t) => {
    const { dir, journal } = await crashedFolder(t, 1);
    const store = await openedStore({ dir });
    await store.tx((tx) => tx.insert('audit', auditRow('a')));
    await store.close();
    for (const name of await readdir(dir)) if (!/^audit-/u.test(name)) await rm(join(dir, name));
    await assert.rejects(
      openStore({ kind: 'lowdb', dir }),
      isAppError('unavailable', new RegExp(`${basename(journal)} is missing.*Nothing was changed`, 'u')),
    );
    assert.ok((await readdir(dir)).includes('audit-00000001.rows'));
  });

  it('damage is distinguished from a first start that was cut short, and from a folder of an older version', async (t) => {
    const { dir, journal } = await crashedFolder(t, 1);
    await rm(join(dir, 'format'));
    const older = await openedStore({ dir });
    assert.deepEqual(await namesIn(older), ['name 1']);
    const crashed = await crashedCopy(t, dir);
    await rm(join(crashed, basename(journal)));
    await assertRefused(crashed, join(crashed, basename(journal)), undefined);
    // A crash before the first journal was whole: nothing was acknowledged then.
    await rm(join(crashed, 'format'));
    await writeFile(join(crashed, basename(journal)), '');
    const born = await openedStore({ dir: crashed });
    assert.deepEqual(await namesIn(born), []);
  });
});
