import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Opened } from './opened-store.ts';
import { actionRow, auditRow, isAppError, livestream } from './support.ts';
import type { Tx } from '../../domain/ports/store.ts';
import { documentOf } from '../helpers/store-document.ts';

export function transactionsSuite(name: string, opened: Opened): void {
  describe(`${name}: transactions`, () => {
    it(`a ${name} store writes nothing when the plan throws, in rows, indexes, unique sets and ids`, async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a', channelId: 1 })));
      const before = await documentOf(store);
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
      assert.deepEqual(await documentOf(store), before);
      assert.equal((await store.find('livestreams', { where: { channelId: 2 } })).total, 0);
      assert.equal((await store.find('livestreams', { where: { channelId: 1 } })).total, 1);
      await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'b' })));
    });

    it(`a plan of a ${name} store reads its own writes`, async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => {
        const { id } = tx.insert('livestreams', livestream({ name: 'a' }));
        tx.put('livestreams', { ...tx.get('livestreams', id)!, name: 'b' });
        assert.equal(tx.version('livestreams', id), 2);
        assert.deepEqual(
          tx.find('livestreams', { where: { name: 'b' } }).rows.map((row) => row.id),
          [id],
        );
        tx.delete('livestreams', id);
        assert.equal(tx.version('livestreams', id), 0);
        tx.insert('livestreams', livestream({ name: 'b' }));
      });
      assert.deepEqual(
        (await store.find('livestreams', {})).rows.map((row) => row.id),
        [2],
      );
    });

    it(`a ${name} store counts the changes of rows by a value of theirs, those that are taken back, too`, async (t) => {
      const { store } = await opened(t);
      const run = { id: 7, deviceId: 1, otherDeviceId: null } as never;
      const seen = new Set<string>();
      const differs = (tx: Tx, what: string): void => {
        const counts = [1, 2].map((id) => tx.changesOf('runs', 'deviceId', id)).join(' ');
        assert.equal(seen.has(counts), false, what);
        seen.add(counts);
      };
      await store.tx((tx) => {
        differs(tx, 'at first');
        tx.insert('runs', run);
        differs(tx, 'it has come');
        tx.put('runs', { ...tx.get('runs', 7)!, deviceId: 2 });
        differs(tx, 'it is at another place');
      });
      await assert.rejects(
        store.tx((tx) => {
          tx.delete('runs', 7);
          differs(tx, 'it has gone');
          throw new Error('no');
        }),
      );
      await store.tx((tx) => differs(tx, 'it is there again'));
      await store.tx((tx) => assert.throws(() => tx.changesOf('runs', 'cost', 1), TypeError));
    });

    it(`a ${name} store loses no update and lets one claim win, with many queued at once`, async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('plannedActions', { ...actionRow('a'), livestreamId: 0 }));
      const increments = Array.from({ length: 100 }, () =>
        store.tx((tx) => {
          const row = tx.get('plannedActions', 1)!;
          tx.put('plannedActions', { ...row, livestreamId: row.livestreamId + 1 });
        }),
      );
      const claims = Array.from({ length: 20 }, () =>
        store.tx((tx) => tx.insert('livestreams', livestream({ name: 'one' }))),
      );
      await Promise.all(increments);
      const outcomes = await Promise.allSettled(claims);
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      const found = await store.get('plannedActions', 1);
      assert.deepEqual([found?.row.livestreamId, found?.version], [100, 101]);
    });

    it(`a ${name} store lets others go on while a commit that failed waits for what it had seen`, async (t) => {
      const { store } = await opened(t);
      const first = store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a' })));
      const taken = assert.rejects(
        store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a' }))),
        isAppError('conflict'),
      );
      await Promise.resolve();
      const third = store.tx((tx) => tx.insert('livestreams', livestream({ name: 'b' })));
      await taken;
      assert.deepEqual([(await first).id, (await third).id], [1, 2]);
    });

    it(`a ${name} store takes only plans that answer at once, and lets none outlive its commit`, async (t) => {
      const { store } = await opened(t);
      await assert.rejects(
        store.tx(async (tx) => {
          tx.insert('audit', auditRow('a'));
        }),
        /answers at once/u,
      );
      let nested: Promise<unknown> | undefined;
      await store.tx(() => {
        nested = assert.rejects(
          store.tx(() => undefined),
          /cannot start a transaction/u,
        );
      });
      await nested;
      const kept = await store.tx((tx) => tx);
      assert.throws(() => kept.insert('audit', auditRow('a')), /has ended/u);
      assert.equal((await store.find('audit', {})).total, 0);
    });
  });

  describe(`${name}: queries`, () => {
    it(`a query of a ${name} store names an undeclared field and the allowed ones`, async (t) => {
      const { store } = await opened(t);
      await assert.rejects(
        store.find('audit', { where: { token_kid: 'kid' } }),
        isAppError('invalid_input', /token_kid.*id, user, operation, at/u),
      );
      await assert.rejects(
        store.find('audit', { sort: { field: 'request_id', descending: false } }),
        isAppError('invalid_input', /request_id/u),
      );
      await assert.rejects(store.find('runs', { search: 'a' }), isAppError('invalid_input', /search/u));
      await assert.rejects(store.find('audit', { offset: -1 }), isAppError('invalid_input', /offset/u));
      await assert.rejects(store.find('audit', { limit: 0.5 }), isAppError('invalid_input', /limit/u));
    });
  });
}
