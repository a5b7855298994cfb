import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import type { Migrations } from '../../store/tables/migration.ts';
import { openStore } from '../../store/open.ts';
import { addOne, contentsOf, crashedCopy, crashedFolder, namesIn } from './folders.ts';
import { isAppError, openedStore, temporaryFolder } from './support.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';

describe('the schema version', () => {
  const migrations: Migrations = {
    [SCHEMA_VERSION]: ({ collections }) => {
      for (const { row } of collections.get('livestreams')?.values() ?? [])
        row['name'] = `${String(row['name'])}, migrated`;
    },
  };

  it('a schema version of a newer program, or without a way from an older, is refused with both numbers', async (t) => {
    const { dir } = await crashedFolder(t, 1);
    const before = await contentsOf(dir);
    await assert.rejects(
      openStore({ kind: 'lowdb', dir, schemaVersion: SCHEMA_VERSION + 2, migrations }),
      isAppError(
        'unavailable',
        new RegExp(`version ${SCHEMA_VERSION}.*version ${SCHEMA_VERSION + 2}.*from ${SCHEMA_VERSION + 1} to`, 'u'),
      ),
    );
    assert.deepEqual(await contentsOf(dir), before);
    const newer = await openedStore({ dir, schemaVersion: SCHEMA_VERSION + 1, migrations });
    await newer.close();
    const migrated = await contentsOf(dir);
    await assert.rejects(
      openStore({ kind: 'lowdb', dir, schemaVersion: SCHEMA_VERSION }),
      isAppError('unavailable', new RegExp(`version ${SCHEMA_VERSION + 1}.*version ${SCHEMA_VERSION}`, 'u')),
    );
    assert.deepEqual(await contentsOf(dir), migrated);
  });

  it('a schema version of an older program is brought forward once, even when the first attempt was cut short', async (t) => {
    const { dir, journal } = await crashedFolder(t, 2);
    const before = await readFile(journal);
    const store = await openedStore({ dir, schemaVersion: SCHEMA_VERSION + 1, migrations });
    const migrated = ['name 1, migrated', 'name 2, migrated'];
    assert.deepEqual(await namesIn(store), migrated);
    assert.equal((await store.find('livestreams', { where: { name: 'name 2, migrated' } })).total, 1);
    const cutShort = await crashedCopy(t, dir);
    await rm(join(cutShort, 'snapshot-00000002.jsonl'));
    await writeFile(join(cutShort, basename(journal)), before);
    for (const folder of [cutShort, await crashedCopy(t, dir)]) {
      const again = await openedStore({ dir: folder, schemaVersion: SCHEMA_VERSION + 1, migrations });
      assert.deepEqual(await namesIn(again), migrated);
    }
  });

  it('a schema version of a document is brought forward too', async (t) => {
    const store = await openedStore({ dir: await temporaryFolder(t) });
    await addOne(store, 'a');
    const document = await documentOf(store);
    const newer = await openStore({ kind: 'memory', schemaVersion: SCHEMA_VERSION + 1, migrations });
    await newer.importDocument(textOf(document));
    assert.deepEqual(await namesIn(newer), ['a, migrated']);
    assert.equal(document.collections.livestreams?.[0]?.row.name, 'a');
  });
});
