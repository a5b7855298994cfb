/** Stores that earlier versions have written, each kept as a fixture, under the present program; and the way back. */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openStoreIn } from '../../bin/store/former-installation.ts';
import { RESIDENT_NAMES } from '../../domain/ports/collections.ts';
import type { AppError } from '../../domain/base/errors.ts';
import { assertInstallation } from '../../domain/rules/installation/import-rules.ts';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { contentsOf } from './folders.ts';
import { isAppError, openedStore, temporaryFolder } from './support.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';

const fixtureOf = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const fixture = (version: number): string => fixtureOf(`version-${version}`);

/** A data folder whose store is the fixture of the schema version. */
async function dataFolder(t: TestContext, version: number): Promise<string> {
  const data = await temporaryFolder(t);
  await cp(fixture(version), join(data, 'store'), { recursive: true });
  return data;
}

const VERSIONS = Array.from({ length: SCHEMA_VERSION }, (_, at) => at + 1);
/** Version 3 has a document, which listeners.spec.ts imports. */
const FOLDERS = VERSIONS.filter((version) => version !== 3);

describe('a store of an earlier version', () => {
  it('every schema version up to the present one has a fixture', async () => {
    for (const version of VERSIONS) assert.ok((await readdir(fixture(version))).length > 0, `version ${version}`);
  });

  for (const version of FOLDERS) {
    it(`a store of schema version ${version} opens under this version, has rows that it takes in, and opens again`, async (t) => {
      const data = await dataFolder(t, version);
      const store = await openStoreIn(data, () => undefined);
      const document = await documentOf(store);
      await store.close();
      const again = await openStoreIn(data, () => undefined);
      const { exported_at: _then, ...first } = document;
      const { exported_at: _now, ...second } = await documentOf(again);
      await again.close();
      assert.deepEqual(second, first);
      // The fixtures before 0.1.0 have rows for the tests of their migration alone.
      if (version >= 4) {
        const other = await openStore({ kind: 'memory', clock: new FakeClock() });
        await other.importDocument(textOf(document), assertInstallation);
      }
      assert.equal(document.schemaVersion, SCHEMA_VERSION);
    });
  }

  for (const version of VERSIONS.slice(0, -1)) {
    it(`an export of schema version ${version} with a row of each resource is taken in whole, and so is the export of that`, async () => {
      // Rows kept their form up to version 3.
      const exported = (await readFile(fixtureOf('export-1.json'), 'utf8')).replace(
        '"schemaVersion": 1,',
        `"schemaVersion": ${version},`,
      );
      const { collections } = JSON.parse(exported) as { collections: Record<string, unknown[]> };
      let text: () => Iterable<string> = () => [exported];
      for (const _time of ['first', 'again']) {
        const store = await openStore({ kind: 'memory', clock: new FakeClock() });
        await store.importDocument(text, assertInstallation);
        const counts: Record<string, number> = store.counts();
        for (const [name, rows] of Object.entries(collections)) assert.equal(counts[name], rows.length, name);
        text = textOf(await documentOf(store));
      }
    });
  }

  it('the store of 0.1.0 keeps every row under the present version', async (t) => {
    const store = await openStoreIn(await dataFolder(t, 4), () => undefined);
    const counts = store.counts();
    await store.close();
    // History goes with its age.
    const filled = Object.fromEntries(
      RESIDENT_NAMES.flatMap((name) => (counts[name] > 0 ? [[name, counts[name]]] : [])),
    );
    assert.deepEqual(filled, {
      users: 2,
      tokens: 2,
      userGroups: 1,
      channels: 6,
      encodings: 6,
      encodingGroups: 1,
      publishings: 6,
      publishingGroups: 1,
      assets: 2,
      livestreams: 5,
      runs: 1,
      schedules: 2,
      scheduleSkips: 1,
      plannedActions: 1,
      recordings: 1,
      devices: 1,
      deviceGroups: 1,
      drmProviders: 1,
      cloudAccounts: 1,
      remoteFolders: 1,
      targetFolders: 1,
      licences: 1,
    });
  });
});

describe('the way back', () => {
  const older = FOLDERS.filter((version) => version < SCHEMA_VERSION).at(-1)!;

  it('before its form is changed, the store is kept as it was beside it, and the version before starts again with that', async (t) => {
    const data = await dataFolder(t, older);
    const before = await contentsOf(join(data, 'store'));
    const messages: string[] = [];
    await (await openStoreIn(data, (message) => messages.push(message))).close();
    const kept = join(data, `store-schema-${older}`);
    assert.match(messages.join('\n'), new RegExp(`version ${older} to ${SCHEMA_VERSION}.*store-schema-${older}`, 'u'));
    const copied = await contentsOf(kept);
    for (const [name, content] of Object.entries(copied))
      if (name !== 'format') assert.equal(content, before[name], name);
    assert.ok(Object.keys(copied).some((name) => name.startsWith('snapshot-')));
    const { schemaVersion } = JSON.parse(
      (await readFile(join(kept, 'snapshot-00000002.jsonl'), 'utf8')).split('\n')[0]!.slice(9),
    ) as {
      schemaVersion: number;
    };
    assert.equal(schemaVersion, older);
    const back = await temporaryFolder(t);
    await rename(kept, join(back, 'store'));
    await (await openedStore({ dir: join(back, 'store'), schemaVersion: older })).close();
    assert.deepEqual(await readdir(data), ['store']);
  });

  it('a store of a newer version is refused with the versions of both programs and what there is to do', async (t) => {
    const data = await dataFolder(t, SCHEMA_VERSION);
    const migrations = { [SCHEMA_VERSION]: () => undefined };
    const dir = join(data, 'store');
    await (
      await openStore({ kind: 'lowdb', dir, schemaVersion: SCHEMA_VERSION + 1, migrations, program: '9.9.9' })
    ).close();
    const found = await contentsOf(dir);
    const versions = new RegExp(
      `schema version ${SCHEMA_VERSION + 1} and was written by onair 9\\.9\\.9; this onair \\d+\\.\\d+\\.\\d+\\S* has schema version ${SCHEMA_VERSION}`,
      'u',
    );
    await assert.rejects(openStoreIn(data), isAppError('unavailable', versions));
    await assert.rejects(openStoreIn(data), (error) =>
      /restore a backup/u.test((error as AppError).extras.remedy ?? ''),
    );
    await cp(fixture(SCHEMA_VERSION), join(data, `store-schema-${SCHEMA_VERSION}`), { recursive: true });
    await assert.rejects(openStoreIn(data), (error) =>
      /rename \S+store to \S+/u.test((error as AppError).extras.remedy ?? ''),
    );
    assert.deepEqual(await contentsOf(dir), found);
  });
});
