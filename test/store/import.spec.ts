/** Documents that nobody exported: refused with the row and its field, before anything is written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COLLECTIONS, type CollectionName } from '../../domain/collections.ts';
import type { StoreDocument } from '../../domain/store.ts';
import { storedRowIssues } from '../../domain/stored-rows.ts';
import { openStore } from '../../store/open.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { contentsOf } from './folders.ts';
import { auditRow, isAppError, openedStore, temporaryFolder } from './support.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';

type Row = Record<string, unknown>;

async function exported(): Promise<StoreDocument> {
  const store = await openStore({ kind: 'memory' });
  await seedBroadcast(store);
  await store.tx((tx) => tx.insert('audit', auditRow('a')));
  return (await documentOf(store)) as StoreDocument;
}

function withRow(document: StoreDocument, collection: CollectionName, change: Row): StoreDocument {
  const rows = document.collections[collection] as { version: number; row: Row }[] | undefined;
  const row = { ...rows?.[0]?.row, ...change };
  return { ...document, collections: { ...document.collections, [collection]: [{ version: 1, row }] } };
}

const STAMPS = { id: 7, created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
const ASSET = { ...STAMPS, fileType: 'files', size_bytes: 1, content_type: 'video/mp4', duration_seconds: null };

const WRONG: { name: string; collection: CollectionName; change: Row; says: RegExp }[] = [
  { name: 'a Channel of no type', collection: 'channels', change: { type: 'nope' }, says: /channels 1, type: / },
  {
    name: 'a file as the URL of a source',
    collection: 'channels',
    change: { settings: { url: 'file:///etc/passwd' } },
    says: /channels 1, settings\.url: must begin with http/u,
  },
  {
    name: 'a file as the URL of a Destination',
    collection: 'publishings',
    change: { type: 'STREAM', settings: { url: 'file:///etc/cron.d/x' } },
    says: /publishings 1, settings\.url: must begin with udp/u,
  },
  {
    name: 'an Asset outside of its bucket',
    collection: 'assets',
    change: { ...ASSET, width: null, height: null, filename: '../../store/lock' },
    says: /assets 7, filename: must be a plain file name/u,
  },
  { name: 'a user of nothing but an id', collection: 'users', change: { id: 3 }, says: /users 3, username: Required/u },
  { name: 'a row that is none', collection: 'runs', change: { id: 1 }, says: /runs 1, desired: Required/u },
  {
    name: 'a run that leads out of its folder',
    collection: 'recordings',
    change: { id: 1, runId: '../..' },
    says: /recordings 1, /u,
  },
];

describe('an import', () => {
  for (const { name, collection, change, says } of WRONG) {
    it(`refuses ${name}, and writes nothing`, async (t) => {
      const dir = await temporaryFolder(t);
      const store = await openedStore({ dir });
      const before = await contentsOf(dir);
      const document = await exported();
      await assert.rejects(
        store.importDocument(textOf(withRow(document, collection, change))),
        isAppError('invalid_input', new RegExp(`nothing of it was written.*${says.source}`, 'u')),
      );
      // The lock's own file is written each second.
      assert.deepEqual({ ...(await contentsOf(dir)), 'lock.json': '' }, { ...before, 'lock.json': '' });
      for (const each of Object.keys(COLLECTIONS) as CollectionName[])
        assert.equal((await store.find(each, {})).total, 0, each);
      await store.importDocument(textOf(document));
      assert.deepEqual((await documentOf(store)).collections, document.collections);
    });
  }

  it('names what is wrong in many rows, and not all of it', async () => {
    const document = await exported();
    const rows = Array.from({ length: 500 }, (_, at) => ({ version: 1, row: { id: at + 1 } }));
    const store = await openStore({ kind: 'memory' });
    await assert.rejects(
      store.importDocument(textOf({ ...document, collections: { events: rows as never } })),
      (error: Error) => /events 1, at: Required.*More is wrong/u.test(error.message) && error.message.length < 3_000,
    );
  });

  it('knows what a row of each collection must have', () => {
    for (const name of Object.keys(COLLECTIONS) as CollectionName[])
      assert.ok(storedRowIssues(name, { id: 1 }).length > 0, `anything is a row of ${name}`);
  });
});
