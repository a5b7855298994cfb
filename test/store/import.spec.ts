/** Documents that nobody exported: refused with the row and its field, before anything is written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COLLECTIONS, type CollectionName } from '../../domain/ports/collections.ts';
import { assertInstallation } from '../../domain/rules/installation/import-rules.ts';
import type { StoreDocument } from '../../domain/ports/store.ts';
import { storedRowIssues } from '../../domain/ports/stored-rows.ts';
import { openStore } from '../../store/open.ts';
import { countOf } from '../helpers/counts.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { contentsOf, crashedCopy } from './folders.ts';
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
  {
    name: 'a File Channel whose file is elsewhere',
    collection: 'channels',
    change: { type: 'File', settings: { filename: '../../../talk.mp4' } },
    says: /channels 1, settings\.filename: must be a plain file name/u,
  },
  {
    name: 'a File Channel without a file',
    collection: 'channels',
    change: { type: 'File', settings: {} },
    says: /channels 1, settings\.filename: is required/u,
  },
  {
    name: 'a logo outside of its bucket',
    collection: 'livestreams',
    change: { logo: { filename: '../../device/link', position: 'Bottom' } },
    says: /livestreams 1, logo\.filename: must be a plain file name/u,
  },
  {
    name: 'a fallback file outside of its bucket',
    collection: 'livestreams',
    change: { fallback: { mode: 'file', filename: '../../x' } },
    says: /livestreams 1, fallback\.filename: must be a plain file name/u,
  },
];

const ADMIN_USER = {
  ...STAMPS,
  id: 1,
  username: 'admin',
  first_name: 'A',
  last_name: 'B',
  email: 'admin@example.com',
  password_hash: '',
  user_role: 1,
  active: true,
  profile: { api: true, language: 'en', password_version: 0 },
};
const ADMIN_TOKEN = {
  ...STAMPS,
  id: 1,
  kid: 'abc',
  name: 'kept',
  userId: 1,
  token_hash: 'x',
  expires_at: null,
  revoked_at: null,
};

const NOT_WHOLE: { name: string; collection: CollectionName; change: Row | null; says: RegExp }[] = [
  { name: 'no user', collection: 'users', change: null, says: /users: holds no active System Administrator/u },
  {
    name: 'an inactive Administrator alone',
    collection: 'users',
    change: { active: false },
    says: /users: holds no active System Administrator/u,
  },
  {
    name: 'an Operator alone',
    collection: 'users',
    change: { user_role: 2 },
    says: /users: holds no active System Administrator/u,
  },
  {
    name: 'a Live stream of no Channel',
    collection: 'livestreams',
    change: { channelId: 999 },
    says: /livestreams 1 "Show", channelId: there is no Channel 999/u,
  },
  {
    name: 'a token of nobody',
    collection: 'tokens',
    change: { userId: 999 },
    says: /tokens 1 "kept", userId: there is no User 999/u,
  },
];

describe('an import of a whole installation', () => {
  const whole = async (): Promise<StoreDocument> =>
    withRow(withRow(await exported(), 'users', ADMIN_USER), 'tokens', ADMIN_TOKEN);

  for (const { name, collection, change, says } of NOT_WHOLE) {
    it(`an import refuses an installation with ${name}, and writes nothing`, async (t) => {
      const store = await openedStore({ dir: await temporaryFolder(t) });
      const document = await whole();
      const wrong =
        change === null
          ? { ...document, collections: { ...document.collections, [collection]: [] } }
          : withRow(document, collection, change);
      await assert.rejects(
        store.importDocument(textOf(wrong), assertInstallation),
        isAppError('invalid_input', new RegExp(`nothing of it was written.*${says.source}`, 'u')),
      );
      for (const each of Object.keys(COLLECTIONS) as CollectionName[])
        assert.equal((await store.find(each, {})).total, 0, each);
      await store.importDocument(textOf(document), assertInstallation);
      assert.equal((await store.find('tokens', {})).total, 1);
    });
  }
});

describe('an import', () => {
  for (const { name, collection, change, says } of WRONG) {
    it(`an import refuses ${name}, and writes nothing`, async (t) => {
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

  it('an import names what is wrong in many rows, and not all of it', async () => {
    const document = await exported();
    const rows = Array.from({ length: 500 }, (_, at) => ({ version: 1, row: { id: at + 1 } }));
    const store = await openStore({ kind: 'memory' });
    await assert.rejects(
      store.importDocument(textOf({ ...document, collections: { events: rows as never } })),
      (error: Error) => /events 1, at: Required.*More is wrong/u.test(error.message) && error.message.length < 3_000,
    );
  });

  it('an import refuses what no file of history could hold, and a cut-off text, before anything is written', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    const document = await exported();
    const zoned = withRow(document, 'audit', { at: '2026-01-01T00:00:00Z' });
    await assert.rejects(
      store.importDocument(textOf(zoned)),
      isAppError('invalid_input', /nothing of it was written.*The indexed field at of audit/u),
    );
    const [text = ''] = textOf(document)();
    await assert.rejects(
      store.importDocument(() => [text.slice(0, -20)]),
      SyntaxError,
    );
    await store.importDocument(textOf(document));
    assert.deepEqual((await documentOf(store)).collections, document.collections);
    await openedStore({ dir: await crashedCopy(t, dir) });
  });

  it('an import that a crash cuts short leaves no store', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    const document = await exported();
    const entries = Array.from({ length: 1200 }, (_, at) => ({ version: 1, row: { ...auditRow('a'), id: at + 1 } }));
    const [text = ''] = textOf({ ...document, collections: { ...document.collections, audit: entries } })();
    let readings = 0;
    const cutShort = new Error('as a disk that fails');
    const source = function* (): Generator<string> {
      readings += 1;
      const end = readings === 1 ? text.length : text.indexOf('"id":900');
      yield text.slice(0, end);
      if (readings > 1) throw cutShort;
    };
    await assert.rejects(store.importDocument(source), cutShort);
    assert.ok(store.counts().audit >= 500 && store.counts().users === 0);
    const refused = isAppError('unavailable', /import into .* was cut short: .*Remove that folder/u);
    const copy = await crashedCopy(t, dir);
    const before = await contentsOf(copy);
    await assert.rejects(openedStore({ dir: copy }), refused);
    assert.deepEqual({ ...(await contentsOf(copy)), 'lock.json': '' }, { ...before, 'lock.json': '' });
    await store.close();
    await assert.rejects(openedStore({ dir }), refused);
  });

  it('an import takes history a piece at a time, and an export gives it so', async (t) => {
    const store = await openedStore({ dir: await temporaryFolder(t) });
    const count = countOf(15_000, 30_000);
    for (let at = 0; at < count; at += 5_000) {
      await store.tx((tx) => {
        for (let left = 5_000; left > 0; left -= 1)
          tx.insert('audit', { ...auditRow('a'), at: new Date().toISOString() });
      });
    }
    const pieces: string[] = [];
    for await (const piece of store.exportDocument()) pieces.push(piece);
    const longest = Math.max(...pieces.map(({ length }) => length));
    const total = pieces.reduce((sum, { length }) => sum + length, 0);
    assert.ok(total > count * 200 && longest < 600_000, `${longest} of ${total} characters in one piece`);
    const other = await openedStore({ dir: await temporaryFolder(t) });
    let mostRecent = 0;
    const end = other.onChange((changes) => (mostRecent = Math.max(mostRecent, changes.length)));
    await other.importDocument(() => pieces);
    end();
    assert.ok(mostRecent <= 500, `${mostRecent} rows in one commit`);
    assert.equal(other.counts().audit, count);
    assert.deepEqual((await other.get('audit', 7777))?.row, (await store.get('audit', 7777))?.row);
  });

  it('an import knows what a row of each collection must have', () => {
    for (const name of Object.keys(COLLECTIONS) as CollectionName[])
      assert.ok(storedRowIssues(name, { id: 1 }).length > 0, `anything is a row of ${name}`);
  });
});
