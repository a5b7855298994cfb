/** A view is made once for each version of a row, and never told again when what it was made of has changed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelResource } from '../../domain/rules/sources/channel.ts';
import { livestreamResource } from '../../domain/rules/broadcasts/livestream.ts';
import type { Lookup, Resource } from '../../domain/ports/resource.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { startTestApp } from '../app/test-app.ts';
import { toJson, viewOf } from '../../toolkit/output/views.ts';

const NONE: Lookup = { get: () => undefined };

describe('views', () => {
  it('a view is the same object until the row or a related row is another one', async () => {
    const app = await startTestApp();
    try {
      const { livestreamId } = await addBroadcast(app);
      const view = async (): Promise<unknown> =>
        app.store.tx((tx) => viewOf(livestreamResource, tx.get('livestreams', livestreamId)!, tx));
      const before = await view();
      assert.equal(await view(), before);
      assert.equal((before as { status: number }).status, 0);

      await app.call('startLivestream', { livestreamId });
      const started = (await view()) as { status: number };
      assert.notEqual(started, before);
      assert.equal(started.status, 1);

      await app.call('updateChannel', { channelId: 1, description: 'not of this row' });
      assert.equal(await view(), started);
    } finally {
      await app.close();
    }
  });

  it('a list of views shows what a write has just changed', async () => {
    const app = await startTestApp();
    try {
      const { channelId } = await addBroadcast(app);
      const names = async (): Promise<unknown[]> =>
        (await app.rows('getAllChannels', { pageSize: 50 })).map((row) => row['name']);
      assert.deepEqual(await names(), ['Camera']);
      assert.deepEqual(await names(), ['Camera']);
      await app.call('updateChannel', { channelId, name: 'Stage' });
      assert.deepEqual(await names(), ['Stage']);
      await app.call('addChannel', { name: 'Door', type: 'NDI', settings: {} });
      assert.deepEqual(await names(), ['Stage', 'Door']);
    } finally {
      await app.close();
    }
  });

  it('a view is frozen all through, so that no caller can change what the next one sees', async () => {
    const app = await startTestApp();
    try {
      await addBroadcast(app);
      const view = await app.store.tx(
        (tx) => viewOf(channelResource, tx.get('channels', 1)!, tx) as { settings: { url: string } },
      );
      assert.throws(() => {
        view.settings.url = 'http://elsewhere';
      }, TypeError);
    } finally {
      await app.close();
    }
  });

  it('a view that reads a row which its resource does not declare is refused', () => {
    const careless: Resource<'livestreams'> = {
      ...livestreamResource,
      present: (row, lookup) => ({ channel: lookup.get('channels', row.channelId) }),
    };
    const row = Object.freeze({ id: 1, channelId: 7 }) as never;
    assert.throws(() => viewOf(careless, row, NONE), /looks up channels 7/u);
  });

  it('toJson writes what JSON.stringify writes', async () => {
    const app = await startTestApp();
    try {
      await addBroadcast(app, ' "ü" ');
      await addBroadcast(app, ' 2');
      for (const args of [{}, { fields: 'id,name' }, { page: 9 }, { pageSize: 1 }]) {
        const { body } = await app.call('getAllLivestreams', args);
        assert.equal(toJson(body), JSON.stringify(body));
        assert.equal(toJson(body), JSON.stringify(body));
      }
      for (const body of [null, undefined, [], 'text', { rows: [] }, { rows: [1, null], more: 1 }, { data: { a: 1 } }])
        assert.equal(toJson(body), JSON.stringify(body));
    } finally {
      await app.close();
    }
  });
});
