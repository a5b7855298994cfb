import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Opened } from './opened-store.ts';
import { actionRow, assetRow, auditRow, eventRow, isAppError, livestream } from './support.ts';

export function rowsSuite(name: string, opened: Opened): void {
  describe(`${name}: rows`, () => {
    it(`a ${name} store allots ids and versions`, async (t) => {
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

    it(`a ${name} store answers many rows in the order asked, missing ones left out`, async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => ['a', 'b', 'c'].forEach((each) => tx.insert('livestreams', livestream({ name: each }))));
      const rows = await store.getMany('livestreams', [3, 9, 1]);
      assert.deepEqual(
        rows.map((row) => row.name),
        ['c', 'a'],
      );
    });

    it(`a ${name} store never reuses an id, and passes over those that came from outside`, async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('plannedActions', actionRow('a')));
      await store.tx((tx) => tx.delete('plannedActions', 1));
      assert.equal((await store.tx((tx) => tx.insert('plannedActions', actionRow('b')))).id, 2);
      await store.tx((tx) => tx.insert('plannedActions', { ...actionRow('c'), id: 40 }));
      assert.equal((await store.tx((tx) => tx.insert('plannedActions', actionRow('d')))).id, 41);
      await assert.rejects(
        store.tx((tx) => tx.insert('plannedActions', { ...actionRow('e'), id: 40 })),
        isAppError('conflict', /plannedActions 40 exists/u),
      );
      await assert.rejects(
        store.tx((tx) => tx.insert('plannedActions', { ...actionRow('e'), id: 0 })),
        TypeError,
      );
    });

    it(`a ${name} store updates only rows that exist, and a delete of a missing row is no error`, async (t) => {
      const { store } = await opened(t);
      await assert.rejects(
        store.tx((tx) => tx.put('plannedActions', { ...actionRow('a'), id: 7 })),
        isAppError('not_found'),
      );
      await store.tx((tx) => tx.delete('plannedActions', 7));
      assert.deepEqual(await store.changes(0), []);
    });

    it(`a ${name} store keeps unique sets, with facts on who holds them`, async (t) => {
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

    it(`a ${name} store compares unique sets of two fields by both`, async (t) => {
      const { store } = await opened(t);
      await store.tx((tx) => tx.insert('assets', assetRow('logos', 'a.png')));
      await store.tx((tx) => tx.insert('assets', assetRow('files', 'a.png')));
      await assert.rejects(
        store.tx((tx) => tx.insert('assets', assetRow('files', 'a.png'))),
        isAppError('conflict'),
      );
    });

    it(`a ${name} store hands out and takes in no live reference`, async (t) => {
      const { store } = await opened(t);
      const mine = { ...auditRow('a'), changed: ['name'] };
      const row = await store.tx((tx) => tx.insert('audit', mine));
      mine.changed.push('later');
      assert.throws(() => row.changed.push('later'), TypeError);
      assert.deepEqual((await store.get('audit', row.id))?.row.changed, ['name']);
      const { rows } = await store.find('audit', {});
      assert.throws(() => Object.assign(rows[0]!, { user: 'b' }), TypeError);
    });

    it(`a ${name} store refuses what JSON would lose`, async (t) => {
      const { store } = await opened(t);
      for (const lost of [Number.NaN, new Date(), () => 1, 1n]) {
        await assert.rejects(
          store.tx((tx) => tx.insert('events', eventRow({ data: { lost } }))),
          TypeError,
        );
      }
      const data = JSON.parse('{"__proto__": {"a": [null]}, "gone": 1}') as Record<string, unknown>;
      data['gone'] = undefined;
      const row = await store.tx((tx) => tx.insert('events', eventRow({ data })));
      assert.equal(JSON.stringify((await store.get('events', row.id))?.row.data), '{"__proto__":{"a":[null]}}');
      await assert.rejects(
        store.tx((tx) => tx.insert('events', eventRow({ livestreamId: { nested: 1 } as never }))),
        /indexed field livestreamId/u,
      );
      await assert.rejects(
        store.tx((tx) => tx.insert('plannedActions', { ...actionRow('a'), livestreamId: { nested: 1 } as never })),
        /indexed field livestreamId/u,
      );
      assert.equal((await store.find('events', { where: { livestreamId: 1 } })).total, 1);
    });
  });
}
