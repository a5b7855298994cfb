/** The feeds of the store beside its rows: leases, changes, documents. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCHEMA_VERSION, type Change, type StoreDocument } from '../../domain/ports/store.ts';
import type { Opened } from './opened-store.ts';
import { actionRow, auditRow, isAppError, livestream } from './support.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';

export function feedsSuite(name: string, opened: Opened): void {
  describe(`${name}: leases`, () => {
    it(`a lease of a ${name} store has one holder, a token that grows with each, and an end`, async (t) => {
      const { store, clock } = await opened(t);
      const first = await store.claim('scheduler', 'one', 10_000);
      assert.deepEqual(first, { name: 'scheduler', holder: 'one', token: 1, expires_at: '2026-01-01T00:00:10.000Z' });
      assert.equal(await store.claim('scheduler', 'two', 10_000), undefined);
      assert.equal((await store.claim('device 1', 'two', 10_000))?.token, 1);
      clock.advance(9_999);
      assert.deepEqual(await store.claim('scheduler', 'one', 10_000), {
        ...first,
        expires_at: '2026-01-01T00:00:19.999Z',
      });
      clock.advance(9_999);
      assert.equal(await store.claim('scheduler', 'two', 10_000), undefined);
      clock.advance(1);
      assert.equal((await store.claim('scheduler', 'two', 10_000))?.token, 2);
      assert.equal(await store.claim('scheduler', 'one', 10_000), undefined);
      await store.claim('scheduler', 'two', 0);
      assert.equal((await store.claim('scheduler', 'two', 10_000))?.token, 3);
    });

    it(`a lease of a ${name} store goes to one of many that ask at once`, async (t) => {
      const { store } = await opened(t);
      const leases = await Promise.all(
        Array.from({ length: 20 }, (_, at) => store.claim('scheduler', `holder ${at}`, 1_000)),
      );
      assert.equal(leases.filter((lease) => lease !== undefined).length, 1);
    });
  });

  describe(`${name}: changes`, () => {
    it(`a ${name} store reports each commit once, in order, and to listeners until they unsubscribe`, async (t) => {
      const { store } = await opened(t);
      const changed: Change[] = [];
      const leave = store.onChange((changes) => changed.push(...changes));
      await store.tx((tx) => {
        tx.insert('livestreams', livestream({ name: 'a' }));
        tx.insert('plannedActions', actionRow('a'));
        tx.put('plannedActions', { ...actionRow('b'), id: 1 });
      });
      await store.tx((tx) => tx.get('plannedActions', 1));
      await store.tx((tx) => tx.delete('livestreams', 1));
      const expected = [
        { seq: 1, collection: 'livestreams', id: 1 },
        { seq: 1, collection: 'plannedActions', id: 1 },
        { seq: 2, collection: 'livestreams', id: 1 },
      ];
      assert.deepEqual(changed, expected);
      leave();
      await store.tx((tx) => tx.delete('plannedActions', 1));
      assert.equal(changed.length, 3);
      assert.deepEqual(await store.changes(0), [...expected, { seq: 3, collection: 'plannedActions', id: 1 }]);
      assert.deepEqual(await store.changes(2), [{ seq: 3, collection: 'plannedActions', id: 1 }]);
      assert.deepEqual(await store.changes(3), []);
      assert.equal(await store.changes(4), undefined);
    });

    it(`the changes of a ${name} store forget the oldest, and say so`, async (t) => {
      const { store } = await opened(t);
      for (let commit = 0; commit < 40; commit += 1) {
        await store.tx((tx) => {
          for (let row = 0; row < 1_000; row += 1) tx.insert('audit', auditRow('a'));
        });
      }
      assert.equal(await store.changes(0), undefined);
      assert.equal((await store.changes(39))?.length, 1_000);
      const oldest = await Promise.all(Array.from({ length: 40 }, (_, since) => store.changes(since)));
      const first = oldest.findIndex((changes) => changes !== undefined);
      assert.equal(oldest[first]?.length, (40 - first) * 1_000);
      assert.ok(first > 0 && first < 30, `changes since ${first} are held`);
    });
  });

  describe(`${name}: documents and the end`, () => {
    it(`a ${name} store exports everything and imports it into an empty store, versions and next ids too`, async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => ['a', 'b', 'c'].forEach((each) => tx.insert('livestreams', livestream({ name: each }))));
      await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', 1)!, enabled: false }));
      await store.tx((tx) => tx.delete('livestreams', 3));
      const document = (await documentOf(store)) as StoreDocument;
      await assert.rejects(store.importDocument(textOf(document)), isAppError('conflict', /2 livestreams/u));
      const other = (await opened(t)).store;
      await other.importDocument(textOf(document));
      assert.deepEqual(await documentOf(other), document);
      assert.equal((await other.get('livestreams', 1))?.version, 2);
      assert.equal((await other.find('livestreams', { where: { enabled: false } })).total, 1);
      assert.equal((await other.tx((tx) => tx.insert('livestreams', livestream({ name: 'd' })))).id, 4);
    });

    it(`a ${name} store imports all of a document or nothing`, async (t) => {
      const { store } = await opened(t);
      const row = { version: 1, row: { ...livestream({ name: 'a' }), id: 1 } };
      const document = {
        format: 'onair-store',
        schemaVersion: SCHEMA_VERSION,
        exported_at: '',
        nextIds: {},
        collections: { livestreams: [row] },
      };
      const wrong: [unknown, Parameters<typeof isAppError>][] = [
        [{ ...document, format: 'other' }, ['invalid_input', /format/u]],
        [{ ...document, schemaVersion: 9 }, ['unavailable', new RegExp(`version 9.*version ${SCHEMA_VERSION}`, 'u')]],
        [{ ...document, collections: { ...document.collections, spaceships: [] } }, ['invalid_input', /spaceships/u]],
        [{ ...document, collections: { livestreams: [row, row] } }, ['invalid_input', /repeats id 1/u]],
        [
          { ...document, collections: { livestreams: [row, { ...row, row: { ...row.row, id: 2 } }] } },
          ['conflict', /Livestream 1 already has the name/u],
        ],
        [
          { ...document, collections: { livestreams: [row, { version: 0, row: { ...row.row, id: 2 } }] } },
          ['invalid_input', /livestreams.1/u],
        ],
        [{ ...document, nextIds: { livestreams: -4 } }, ['invalid_input', /nextIds.livestreams/u]],
      ];
      for (const [each, expected] of wrong)
        await assert.rejects(store.importDocument(textOf(each as StoreDocument)), isAppError(...expected));
      const text = JSON.stringify({ ...document, collections: { events: [], audit: [] } }).replace('audit', 'events');
      await assert.rejects(
        store.importDocument(() => [text]),
        isAppError('invalid_input', /events: is there twice/u),
      );
      assert.equal((await store.find('livestreams', {})).total, 0);
      await store.importDocument(textOf(document as unknown as StoreDocument));
    });

    it(`a ${name} store answers unavailable once it is closed, and a second close is no error`, async (t) => {
      const { store } = await opened(t);
      assert.deepEqual(store.health(), { ok: true, problem: null });
      const last = store.tx((tx) => tx.insert('audit', auditRow('a')));
      await Promise.all([store.close(), store.close(), last]);
      for (const call of [
        () => store.tx(() => 1),
        () => store.get('audit', 1),
        () => store.find('audit', {}),
        () => store.checkpoint(),
        () => store.claim('a', 'b', 1),
        () => store.changes(0),
      ]) {
        await assert.rejects(call, isAppError('unavailable', /closed/u));
      }
      assert.equal(store.health().ok, false);
    });
  });
}
