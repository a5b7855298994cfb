/** What every store answers, whatever keeps its rows: one suite for all implementations. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Change, Store, StoreDocument } from '../../domain/store.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { assetRow, auditRow, isAppError, livestream } from './support.ts';

export interface Subject {
  readonly name: string;
  open(t: TestContext, clock: FakeClock): Promise<Store>;
}

export function storeSuite({ name, open }: Subject): void {
  const opened = async (t: TestContext): Promise<{ store: Store; clock: FakeClock }> => {
    const clock = new FakeClock();
    return { store: await open(t, clock), clock };
  };

  describe(`${name}: rows`, () => {
    it('allots ids and versions', async (t) => {
      const { store } = await opened(t);
      const first = await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a' })));
      const second = await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'b' })));
      assert.deepEqual([first.id, second.id], [1, 2]);
      assert.equal((await store.get('livestreams', 1))?.version, 1);
      await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', 1)!, enabled: false }));
      const found = await store.get('livestreams', 1);
      assert.equal(found?.version, 2);
      assert.deepEqual(found.row, { ...livestream({ name: 'a', enabled: false }), id: 1 });
      assert.equal(await store.get('livestreams', 3), undefined);
    });

    it('answers many in the order asked, missing ones left out', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => ['a', 'b', 'c'].forEach((each) => tx.insert('livestreams', livestream({ name: each }))));
      const rows = await store.getMany('livestreams', [3, 9, 1]);
      assert.deepEqual(rows.map((row) => row.name), ['c', 'a']); // prettier-ignore
    });

    it('never reuses an id, and passes over those that came from outside', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('audit', auditRow('a')));
      await store.tx((tx) => tx.delete('audit', 1));
      assert.equal((await store.tx((tx) => tx.insert('audit', auditRow('b')))).id, 2);
      await store.tx((tx) => tx.insert('audit', { ...auditRow('c'), id: 40 }));
      assert.equal((await store.tx((tx) => tx.insert('audit', auditRow('d')))).id, 41);
      await assert.rejects(
        store.tx((tx) => tx.insert('audit', { ...auditRow('e'), id: 40 })),
        isAppError('conflict', /audit 40 exists/u),
      );
      await assert.rejects(
        store.tx((tx) => tx.insert('audit', { ...auditRow('e'), id: 0 })),
        TypeError,
      );
    });

    it('puts only what is there, and deletes in peace what is not', async (t) => {
      const { store } = await opened(t);
      await assert.rejects(
        store.tx((tx) => tx.put('audit', { ...auditRow('a'), id: 7 })),
        isAppError('not_found'),
      );
      await store.tx((tx) => tx.delete('audit', 7));
      assert.deepEqual(await store.changes(0), []);
    });

    it('keeps unique sets, with facts on who holds them', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a' })));
      await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'b' })));
      for (const plan of [
        () => store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a' }))),
        () => store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', 2)!, name: 'a' })),
      ]) {
        await assert.rejects(
          plan,
          (error) =>
            isAppError('conflict')(error) &&
            assert.deepEqual((error as never)['extras']['facts'], { field: 'name', value: 'a', id: 1 }) === undefined,
        );
      }
      await store.tx((tx) => tx.delete('livestreams', 1));
      await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', 2)!, name: 'a' }));
      await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'b' })));
    });

    it('tells unique sets of two fields apart by both', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('assets', assetRow('logos', 'a.png')));
      await store.tx((tx) => tx.insert('assets', assetRow('files', 'a.png')));
      await assert.rejects(
        store.tx((tx) => tx.insert('assets', assetRow('files', 'a.png'))),
        isAppError('conflict'),
      );
    });

    it('hands out and takes in no live reference', async (t) => {
      const { store } = await opened(t);
      const mine = { ...auditRow('a'), changed: ['name'] };
      const row = await store.tx((tx) => tx.insert('audit', mine));
      mine.changed.push('later');
      assert.throws(() => row.changed.push('later'), TypeError);
      assert.deepEqual((await store.get('audit', row.id))?.row.changed, ['name']);
      const { rows } = await store.find('audit', {});
      assert.throws(() => Object.assign(rows[0]!, { user: 'b' }), TypeError);
    });

    it('refuses what JSON would lose', async (t) => {
      const { store } = await opened(t);
      for (const lost of [Number.NaN, new Date(), () => 1, 1n]) {
        await assert.rejects(
          store.tx((tx) => tx.insert('events', { data: { lost } } as never)),
          TypeError,
        );
      }
      const data = JSON.parse('{"__proto__": {"a": [null]}, "gone": 1}') as Record<string, unknown>;
      data['gone'] = undefined;
      const row = await store.tx((tx) => tx.insert('events', { livestreamId: 1, data } as never));
      assert.equal(JSON.stringify((await store.get('events', row.id))?.row.data), '{"__proto__":{"a":[null]}}');
      await assert.rejects(
        store.tx((tx) => tx.insert('events', { livestreamId: { nested: 1 } } as never)),
        /indexed field livestreamId/u,
      );
      assert.equal((await store.find('events', { where: { livestreamId: 1 } })).total, 1);
    });
  });

  describe(`${name}: transactions`, () => {
    it('writes nothing when the plan throws, in rows, indexes, unique sets and ids', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a', channelId: 1 })));
      const before = await store.exportDocument();
      const failure = new Error('no');
      await assert.rejects(
        store.tx((tx) => {
          tx.put('livestreams', { ...tx.get('livestreams', 1)!, name: 'b', channelId: 2 });
          tx.insert('livestreams', livestream({ name: 'c', channelId: 2 }));
          tx.delete('livestreams', 1);
          assert.equal(tx.find('livestreams', { where: { channelId: 2 } }).total, 1);
          throw failure;
        }),
        (error) => error === failure,
      );
      assert.deepEqual(await store.exportDocument(), before);
      assert.equal((await store.find('livestreams', { where: { channelId: 2 } })).total, 0);
      assert.equal((await store.find('livestreams', { where: { channelId: 1 } })).total, 1);
      await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'b' })));
    });

    it('reads its own writes', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => {
        const { id } = tx.insert('livestreams', livestream({ name: 'a' }));
        tx.put('livestreams', { ...tx.get('livestreams', id)!, name: 'b' });
        assert.equal(tx.version('livestreams', id), 2);
        assert.deepEqual(tx.find('livestreams', { where: { name: 'b' } }).rows.map((row) => row.id), [id]); // prettier-ignore
        tx.delete('livestreams', id);
        assert.equal(tx.version('livestreams', id), 0);
        tx.insert('livestreams', livestream({ name: 'b' }));
      });
      assert.deepEqual((await store.find('livestreams', {})).rows.map((row) => row.id), [2]); // prettier-ignore
    });

    it('loses no update and lets one claim win, with many queued at once', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('events', { livestreamId: 0 } as never));
      const increments = Array.from({ length: 100 }, () =>
        store.tx((tx) => {
          const row = tx.get('events', 1)!;
          tx.put('events', { ...row, livestreamId: row.livestreamId + 1 });
        }),
      );
      const claims = Array.from({ length: 20 }, () =>
        store.tx((tx) => tx.insert('livestreams', livestream({ name: 'one' }))),
      );
      await Promise.all(increments);
      const outcomes = await Promise.allSettled(claims);
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      const found = await store.get('events', 1);
      assert.deepEqual([found?.row.livestreamId, found?.version], [100, 101]);
    });

    it('takes only plans that answer at once, and lets none outlive its commit', async (t) => {
      const { store } = await opened(t);
      await assert.rejects(
        store.tx(async (tx) => {
          tx.insert('audit', auditRow('a'));
        }),
        /answers at once/u,
      );
      let nested: Promise<unknown> | undefined;
      await store.tx(() => {
        nested = assert.rejects(store.tx(() => undefined), /cannot start a transaction/u); // prettier-ignore
      });
      await nested;
      const kept = await store.tx((tx) => tx);
      assert.throws(() => kept.insert('audit', auditRow('a')), /has ended/u);
      assert.equal((await store.find('audit', {})).total, 0);
    });
  });

  describe(`${name}: queries`, () => {
    it('names an undeclared field and the allowed ones', async (t) => {
      const { store } = await opened(t);
      await assert.rejects(
        store.find('audit', { where: { outcome: 'ok' } }),
        isAppError('invalid_input', /outcome.*id, user, operation, at/u),
      );
      await assert.rejects(
        store.find('audit', { sort: { field: 'via', descending: false } }),
        isAppError('invalid_input', /via/u),
      );
      await assert.rejects(store.find('audit', { search: 'a' }), isAppError('invalid_input', /search/u));
      await assert.rejects(store.find('audit', { offset: -1 }), isAppError('invalid_input', /offset/u));
      await assert.rejects(store.find('audit', { limit: 0.5 }), isAppError('invalid_input', /limit/u));
    });
  });

  describe(`${name}: leases`, () => {
    it('has one holder, a token that grows with each, and an end', async (t) => {
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

    it('goes to one of many that ask at once', async (t) => {
      const { store } = await opened(t);
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, at) => store.claim('scheduler', `holder ${at}`, 1_000)),
      );
      assert.equal(asked.filter((lease) => lease !== undefined).length, 1);
    });
  });

  describe(`${name}: changes`, () => {
    it('tells each commit once, in order, and to listeners until they leave', async (t) => {
      const { store } = await opened(t);
      const told: Change[] = [];
      const leave = store.onChange((changes) => told.push(...changes));
      await store.tx((tx) => {
        tx.insert('livestreams', livestream({ name: 'a' }));
        tx.insert('audit', auditRow('a'));
        tx.put('audit', { ...auditRow('b'), id: 1 });
      });
      await store.tx((tx) => tx.get('audit', 1));
      await store.tx((tx) => tx.delete('livestreams', 1));
      const expected = [
        { seq: 1, collection: 'livestreams', id: 1 },
        { seq: 1, collection: 'audit', id: 1 },
        { seq: 2, collection: 'livestreams', id: 1 },
      ];
      assert.deepEqual(told, expected);
      leave();
      await store.tx((tx) => tx.delete('audit', 1));
      assert.equal(told.length, 3);
      assert.deepEqual(await store.changes(0), [...expected, { seq: 3, collection: 'audit', id: 1 }]);
      assert.deepEqual(await store.changes(2), [{ seq: 3, collection: 'audit', id: 1 }]);
      assert.deepEqual(await store.changes(3), []);
      assert.equal(await store.changes(4), undefined);
    });

    it('forgets the oldest, and says so', async (t) => {
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
    it('exports everything and imports it into an empty store, versions and next ids too', async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => ['a', 'b', 'c'].forEach((each) => tx.insert('livestreams', livestream({ name: each }))));
      await store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', 1)!, enabled: false }));
      await store.tx((tx) => tx.delete('livestreams', 3));
      const document = JSON.parse(JSON.stringify(await store.exportDocument())) as StoreDocument;
      await assert.rejects(store.importDocument(document), isAppError('conflict', /2 livestreams/u));
      const other = (await opened(t)).store;
      await other.importDocument(document);
      assert.deepEqual(await other.exportDocument(), document);
      assert.equal((await other.get('livestreams', 1))?.version, 2);
      assert.equal((await other.find('livestreams', { where: { enabled: false } })).total, 1);
      assert.equal((await other.tx((tx) => tx.insert('livestreams', livestream({ name: 'd' })))).id, 4);
    });

    it('imports all of a document or nothing', async (t) => {
      const { store } = await opened(t);
      const row = { version: 1, row: { ...livestream({ name: 'a' }), id: 1 } };
      const document = {
        format: 'onair-store',
        schemaVersion: 1,
        exported_at: '',
        nextIds: {},
        collections: { livestreams: [row] },
      };
      const wrong: [unknown, Parameters<typeof isAppError>][] = [
        [{ ...document, format: 'other' }, ['invalid_input', /format/u]],
        [{ ...document, schemaVersion: 9 }, ['unavailable', /version 9.*version 1/u]],
        [{ ...document, collections: { ...document.collections, spaceships: [] } }, ['invalid_input', /spaceships/u]],
        [{ ...document, collections: { livestreams: [row, row] } }, ['invalid_input', /repeats id 1/u]],
        [
          { ...document, collections: { livestreams: [row, { ...row, row: { ...row.row, id: 2 } }] } },
          ['conflict', /livestreams 1 already has name/u],
        ],
        [
          { ...document, collections: { livestreams: [row, { version: 0, row: { ...row.row, id: 2 } }] } },
          ['invalid_input', /livestreams.1/u],
        ],
        [{ ...document, nextIds: { livestreams: -4 } }, ['invalid_input', /nextIds.livestreams/u]],
      ];
      for (const [each, expected] of wrong)
        await assert.rejects(store.importDocument(each as StoreDocument), isAppError(...expected));
      assert.equal((await store.find('livestreams', {})).total, 0);
      await store.importDocument(document as unknown as StoreDocument);
    });

    it('answers unavailable once closed, and closes twice in peace', async (t) => {
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
