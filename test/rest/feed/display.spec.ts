/** A display that was opened by a link: what it is told and shown, and when that ends. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { addBroadcast } from '../../app/broadcast.ts';
import { goOnAir, type OnAir } from '../../app/on-air.ts';
import { openRestApi, type RestApi } from '../../app/rest-api.ts';
import { startTestApp, type TestApp } from '../../app/test-app.ts';
import { TOKENS } from '../../app/users.ts';
import { FeedClient } from '../../helpers/feed-client.ts';
import { until } from '../../helpers/until.ts';

describe('a display by a link', () => {
  let app: TestApp;
  let api: RestApi;
  let show: OnAir;
  let other: number;
  let wallId: number;
  let link: { token: string; kid: string };
  beforeEach(async () => {
    app = await startTestApp({ timezone: 'Europe/Zurich' });
    api = await openRestApi(app);
    show = await goOnAir(app);
    other = (await addBroadcast(app, ' 2')).livestreamId;
    const wall = { name: 'Lobby', layout: 4, livestreamIds: [show.livestreamId], tags: ['lobby'] };
    wallId = (await app.data('addWall', wall)).id;
    link = (await app.data('createDisplayLink', { wallId, name: 'Screen 1' })) as unknown as typeof link;
  });
  afterEach(async () => {
    api.feed.close();
    await app.close();
  });

  const ask = (path: string, method = 'GET', token = link.token) => api.send(method, path, { token });
  const tiles = async () => ((await (await ask(`/feed/walls/${wallId}`)).json()) as { data: object }).data;
  const follow = async (): Promise<FeedClient> => new FeedClient(await ask('/feed'));
  const passing = { each: () => app.clock.advance(50) };
  const idsIn = (client: FeedClient): Set<number> =>
    new Set(
      client.messages.flatMap(({ event, data }) =>
        event === 'rates'
          ? data.rows.map(([id]: [number]) => id)
          : (data.livestreams ?? []).map(({ livestreamId }: { livestreamId: number }) => livestreamId),
      ),
    );

  it('it sees its wall and the Live streams on it, who changes them not, and of all others nothing', async () => {
    const tile = { livestreamId: show.livestreamId, always: true };
    assert.deepEqual(await tiles(), { id: wallId, name: 'Lobby', layout: 4, tiles: [tile] });
    const client = await follow();
    const { data: hello } = await client.wait('hello');
    assert.deepEqual([hello.user, hello.role], ['Screen 1', 2]);
    await client.wait('snapshot');
    await app.data('addMailRule', { name: 'Desk', recipients: ['desk@example.org'] });
    await app.data('updateLivestream', { livestreamId: other, name: 'Renamed' });
    await app.data('runtimeApplyBlackout', { livestreamId: show.livestreamId, mode: 'Black Frame' });
    const { data } = await client.wait('status', ({ livestreams }) => livestreams[0].runtime !== undefined, passing);
    assert.deepEqual(Object.keys(data), ['livestreams']);
    await client.wait('rates', () => true, passing);
    assert.deepEqual([...idsIn(client)], [show.livestreamId]);
    const events = new Set(client.messages.map(({ event }) => event));
    assert.deepEqual(events, new Set(['hello', 'snapshot', 'status', 'rates']));
    assert.deepEqual(client.events('snapshot')[0]?.data.devices, []);
  });

  it('a Live stream that comes to the wall is told at once, and one that leaves it no more', async () => {
    const client = await follow();
    await client.wait('snapshot');
    await app.data('updateLivestream', { livestreamId: other, tags: ['Lobby'] });
    await client.wait('snapshot', ({ livestreams }) => livestreams.length === 2);
    assert.equal(client.events('changed').length, 1);
    assert.deepEqual((await tiles()) as { tiles: object }, {
      id: wallId,
      name: 'Lobby',
      layout: 4,
      tiles: [
        { livestreamId: show.livestreamId, always: true },
        { livestreamId: other, always: false },
      ],
    });
    const from = client.messages.length;
    await app.data('updateWall', { wallId, livestreamIds: [], layout: 1 });
    const { data } = await client.wait('snapshot', () => true, { from });
    assert.deepEqual(
      data.livestreams.map(({ livestreamId }: { livestreamId: number }) => livestreamId),
      [other],
    );
  });

  it('its token opens nothing else, changes nothing, and of another wall it learns nothing', async () => {
    const { id: otherWall } = await app.data('addWall', { name: 'Secret', others: true });
    for (const path of [
      '/livestreams',
      `/livestreams/${show.livestreamId}/status`,
      `/livestreams/${show.livestreamId}/preview`,
      '/walls',
      `/walls/${wallId}/displayLinks`,
      '/security/me',
      `/feed/live/${show.livestreamId}/${show.web}/index.m3u8`,
    ])
      assert.equal((await ask(path)).status, 401, path);
    assert.equal((await ask(`/livestreams/${show.livestreamId}/stop`, 'POST')).status, 401);
    for (const id of [otherWall, 999]) assert.equal((await ask(`/feed/walls/${id}`)).status, 404);
    assert.equal((await ask(`/feed/walls/${otherWall}`, 'GET', TOKENS.operator)).status, 200);
    assert.equal((await ask(`/feed/walls/${wallId}`, 'GET', `${link.token.slice(0, -1)}_`)).status, 401);
  });

  it('its feed and its pictures end with a revocation, and so they do with the wall', async () => {
    const second = (await app.data('createDisplayLink', { wallId, name: 'Screen 2' })) as unknown as typeof link;
    const one = await follow();
    const two = new FeedClient(await ask('/feed', 'GET', second.token));
    const pictures = await ask(`/feed/pictures?want=${show.livestreamId}:320:1,${other}:320:1`);
    assert.equal(pictures.status, 200);
    await Promise.all([one.wait('snapshot'), two.wait('snapshot')]);
    await until('it was seen', async () => {
      const rows = await app.rows('listDisplayLinks', { wallId });
      return rows.every((row) => row['last_seen_at'] !== null);
    });
    await app.data('revokeDisplayLink', { wallId, kid: link.kid });
    assert.equal((await one.wait('bye')).data.reason, 'signed_out');
    let haveEnded = false;
    void pictures.arrayBuffer().then(() => (haveEnded = true));
    await until('the pictures end', () => haveEnded);
    assert.equal((await ask('/feed')).status, 401);
    assert.equal(two.hasEnded, false);
    await app.data('deleteWall', { wallId });
    assert.equal((await two.wait('bye')).data.reason, 'signed_out');
  });
});
