/** The feed of the page: what it begins with, what it tells of what happens, and to whom. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { addBroadcast } from '../../app/broadcast.ts';
import { goOnAir, type OnAir } from '../../app/on-air.ts';
import { openRestApi, type RestApi } from '../../app/rest-api.ts';
import { startTestApp, type TestApp } from '../../app/test-app.ts';
import { TOKENS, type TokenOwner } from '../../app/users.ts';
import { FeedClient } from '../../helpers/feed-client.ts';
import { until } from '../../helpers/until.ts';

let app: TestApp;
let api: RestApi;

async function open(): Promise<void> {
  app = await startTestApp({ timezone: 'Europe/Zurich' });
  api = await openRestApi(app);
}
async function close(): Promise<void> {
  api.feed.close();
  await app.close();
}

async function follow(owner: TokenOwner = 'operator', lastId?: string): Promise<FeedClient> {
  const headers = {
    authorization: `Bearer ${TOKENS[owner]}`,
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  };
  const client = new FeedClient(await api.rest.request('/svcapiv2/feed', { headers }));
  await client.wait('hello');
  return client;
}

/** Waits while the clock goes on. */
const passing = { each: () => app.clock.advance(50) };

describe('the beginning of the feed', () => {
  beforeEach(open);
  afterEach(close);

  it('the feed answers events that nobody stores or holds back', async () => {
    const headers = { authorization: `Bearer ${TOKENS.operator}` };
    const response = await api.rest.request('/svcapiv2/feed', { headers });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/u);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    await response.body?.cancel();
  });

  it('the feed begins with the time to come back after, and with who reads what server', async () => {
    const client = await follow();
    assert.equal(client.retry, 1000);
    const { id, data } = client.messages[0]!;
    const { boot, ...hello } = data as { boot: string };
    assert.deepEqual(
      [id, hello],
      [
        undefined,
        {
          version: '1.2.3',
          server_time: '2026-01-01T00:00:00.000Z',
          timezone: 'Europe/Zurich',
          user: 'operator',
          role: 2,
          tool_profile: 'full',
        },
      ],
    );
    const { id: snapshotId } = await client.wait('snapshot');
    assert.ok(snapshotId?.startsWith(`${boot}.`), 'a snapshot can be resumed from');
    assert.equal((await follow('admin')).messages[0]?.data.role, 1);
  });

  it('the snapshot has every Live stream and every Device as the operations answer them', async () => {
    const show = await goOnAir(app);
    const { channelId, encodingId, web } = show;
    await app.data('addLivestream', { name: 'Other', channelId, encodingId, publishingId: web });
    const client = await follow();
    const { data } = await client.wait('snapshot');
    const statuses = await app.rows('getLivestreamsStatus');
    assert.equal(statuses.length, 2);
    assert.deepEqual(
      data.livestreams,
      statuses.map((status) => ({ ...status, flags: null })),
    );
    assert.equal(data.livestreams[0].livestreamId, show.livestreamId);
    assert.deepEqual(data.devices, await app.rows('getDevicesLiveStatus'));
    assert.equal(data.done, true);
  });

  it('the snapshot comes in parts of 50 Live streams, the last of which says so', async () => {
    const { livestreamId: _first, ...bound } = await addBroadcast(app);
    for (let number = 2; number <= 51; number += 1)
      await app.data('addLivestream', { name: `Show ${number}`, ...bound });
    const client = await follow();
    await client.wait('snapshot', ({ done }) => done === true);
    const parts = client.events('snapshot');
    assert.deepEqual(
      parts.map(({ id, data }) => [id !== undefined, data.livestreams.length, data.devices.length, data.done]),
      [
        [false, 50, 1, false],
        [true, 1, 0, true],
      ],
    );
  });

  it('a request without a credential is 401, one of another site 403, and a method that reads nothing 405', async () => {
    const ask = async (headers: Record<string, string>, method = 'GET'): Promise<[number, string | null, unknown]> => {
      const response = await api.rest.request('http://localhost/svcapiv2/feed', { method, headers });
      const body = method === 'HEAD' ? undefined : ((await response.json()) as { code: string }).code;
      return [response.status, response.headers.get('content-type'), body];
    };
    const problem = 'application/problem+json';
    const authorization = `Bearer ${TOKENS.operator}`;
    assert.deepEqual(await ask({}), [401, problem, 'unauthenticated']);
    assert.deepEqual(await ask({ authorization: 'Bearer nobody_has_this_token_at_all' }), [
      401,
      problem,
      'unauthenticated',
    ]);
    const foreign = { authorization, origin: 'https://elsewhere.example', host: 'localhost' };
    assert.deepEqual(await ask(foreign), [403, problem, 'forbidden']);
    assert.deepEqual(await ask({ authorization }, 'POST'), [405, problem, 'method_not_allowed']);
    assert.equal((await ask({ authorization }, 'HEAD'))[0], 405);
    assert.equal(api.feed.size, 0);
    const own = { authorization, origin: 'http://localhost', host: 'localhost' };
    const response = await api.rest.request('http://localhost/svcapiv2/feed', { headers: own });
    assert.equal(response.status, 200);
    await response.body?.cancel();
  });

  it('the readers are counted in the metrics, and those that have gone are not', async () => {
    const count = async (): Promise<string | undefined> =>
      /^onair_feed_viewers (\d+)$/mu.exec(await (await api.rest.request('/metrics')).text())?.[1];
    assert.equal(await count(), '0');
    const [one] = [await follow(), await follow('admin')];
    assert.equal(await count(), '2');
    await one.leave();
    assert.equal(await count(), '1');
  });
});

describe('what the feed tells', () => {
  let show: OnAir;
  beforeEach(async () => {
    await open();
    show = await goOnAir(app);
  });
  afterEach(close);

  it('a change on air is told with its caller and the API, and with what is in force', async () => {
    const client = await follow();
    await client.wait('snapshot');
    const { livestreamId } = show;
    await app.data('runtimeApplyBlackout', { livestreamId, mode: 'Black Frame' }, { user: 'operator', via: 'mcp' });
    const { data, id } = await client.wait('status', ({ by }) => by !== undefined, passing);
    assert.deepEqual(data.by, { user: 'operator', via: 'mcp' });
    const [change] = data.livestreams;
    assert.equal(change.livestreamId, livestreamId);
    assert.equal(change.runtime.blackout, 'Black Frame');
    assert.ok(id !== undefined);
  });

  it('a change that leaves the stored run as it is, as a cue and a path that is switched on, is told with its caller too', async () => {
    const client = await follow();
    await client.wait('snapshot');
    const { livestreamId } = show;
    const by = { user: 'operator', via: 'mcp' } as const;
    const paths = { publishings: [{ publishingId: show.web, primary: true }] };
    for (const [operation, body] of [
      ['runtimePushMetadata', { type: 'CueOut', metadata: { duration: 30 } }],
      ['runtimeTogglePublishings', paths],
    ] as const) {
      const from = client.messages.length;
      await app.data(operation, { livestreamId, ...body }, by);
      const { data } = await client.wait('status', (status) => status.by !== undefined, { from, ...passing });
      assert.deepEqual([data.by, data.livestreams[0].livestreamId], [by, livestreamId], operation);
    }
  });

  it('a start and its end are told status by status, the orders with their callers', async () => {
    const client = await follow();
    await client.wait('snapshot');
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    const { data } = await client.wait('status', ({ livestreams }) => livestreams[0].status === 0, passing);
    assert.deepEqual(data.livestreams[0].encodings, []);
    const from = client.messages.length;
    await app.data('startLivestream', { livestreamId: show.livestreamId }, { user: 'operator' });
    const isStarting = (data: { livestreams: { status?: number }[] }): boolean => data.livestreams[0]?.status === 1;
    const starting = await client.wait('status', isStarting, { from, ...passing });
    assert.deepEqual(starting.data.by, { user: 'operator', via: 'rest' });
    const { runId } = await show.run();
    await until('the run at the Device', () => app.device.runIds.includes(runId));
    app.device.running(runId);
    const running = await client.wait('status', ({ livestreams }) => livestreams[0].status === 2, { from, ...passing });
    assert.equal(running.data.by, undefined, 'nobody but the Device says so');
    assert.equal(running.data.livestreams[0].on_air, true);
  });

  it('a report is told within 100 ms, and one that changes nothing but rates is not told as a status', async () => {
    const client = await follow();
    await client.wait('snapshot');
    app.clock.advance(1100);
    const { source } = app.device.report(show.runId);
    const from = client.messages.length;
    app.device.tell(show.runId, { source: { ...source, fps: 24 } });
    app.clock.advance(100);
    app.device.tell(show.runId, { source: { ...source, state: 'lost', fps: 0 } });
    app.clock.advance(100);
    const { data } = await client.wait('status', undefined, { from });
    assert.deepEqual(data.livestreams, [
      { livestreamId: show.livestreamId, source: { ...source, ingest: null, state: 'lost', fps: 0 } },
    ]);
    assert.equal(client.messages.slice(from).filter(({ event }) => event === 'status').length, 1);
  });

  it('rates come each second without an id, as rows in the order that is agreed', async () => {
    const client = await follow();
    await client.wait('snapshot');
    const levels = { peaks: [-9.5, -11], flags: 4 } as Partial<RunReport>;
    app.device.tell(show.runId, levels);
    app.clock.advance(1000);
    const { id, data } = await client.wait('rates');
    const { encodings, source } = app.device.report(show.runId);
    const age = app.clock.now() - Date.parse(source.last_frame_at ?? '');
    assert.deepEqual(data, {
      at: new Date(app.clock.now()).toISOString(),
      rows: [[show.livestreamId, 25, 2500, age, -9.5, -11, 4, [[encodings[0]?.encodingId, 25, 2500, 1, 0]]]],
    });
    assert.equal(id, undefined);
    app.clock.advance(2000);
    await until('three messages of rates', () => client.events('rates').length === 3);
  });

  it('the snapshot has the flags that a Device reports', async () => {
    app.device.tell(show.runId, { flags: 6 } as Partial<RunReport>);
    const { data } = await (await follow()).wait('snapshot');
    assert.equal(data.livestreams[0].flags, 6);
  });

  it('an entry of the event log is told as the operation answers it', async () => {
    const client = await follow();
    await client.wait('snapshot');
    app.device.emit(show.runId, 'source_lost', 'The source is lost.', 'warning', { channelId: show.channelId });
    const { data } = await client.wait('event', ({ kind }) => kind === 'source_lost');
    const rows = await app.rows('getLivestreamEvents', { livestreamId: show.livestreamId, kind: 'source_lost' });
    assert.deepEqual([data], rows);
  });

  it('a Device that goes is told within two seconds, with all that is known of it', async () => {
    const client = await follow();
    await client.wait('snapshot');
    app.device.goOffline();
    app.clock.advance(2000);
    const { data } = await client.wait('device', ({ devices }) => devices[0].online === false);
    assert.deepEqual(data.devices, await app.rows('getDevicesLiveStatus'));
    app.clock.advance(4000);
    await until('more rates', () => client.events('rates').length >= 6);
    assert.equal(client.events('device').length, 1, 'one that is the same is not told again');
  });

  it('written rows are told by the path of their list, many at once, to those who may read them', async () => {
    const [operator, admin] = [await follow(), await follow('admin')];
    for (const client of [operator, admin]) await client.wait('snapshot');
    const from = Object.fromEntries([operator, admin].map((client, index) => [index, client.messages.length]));
    const { id: channelId } = await app.data('addChannel', {
      name: 'Second',
      type: 'Stream',
      settings: { url: 'http://127.0.0.1:9/second.m3u8' },
    });
    const { id: userId } = await app.data('addUser', {
      username: 'vera',
      first_name: 'Vera',
      last_name: 'Test',
      email: 'vera@example.org',
      password: 'correct horse battery',
      user_role: 2,
    });
    await admin.wait('changed', ({ resource }) => resource === 'users', { from: from[1] ?? 0, ...passing });
    await operator.wait('changed', ({ resource }) => resource === 'channels', { from: from[0] ?? 0, ...passing });
    const changed = (client: FeedClient): Map<string, unknown> =>
      new Map(client.events('changed').map(({ data }) => [data.resource, data.ids]));
    assert.deepEqual(changed(admin).get('users'), [userId]);
    assert.deepEqual(changed(admin).get('channels'), [channelId]);
    assert.deepEqual(changed(operator).get('channels'), [channelId]);
    assert.ok(changed(admin).has('system/audit'));
    for (const hidden of ['users', 'system/audit', 'security/tokens', 'sessions', 'idempotency'])
      assert.equal(changed(operator).has(hidden), false, hidden);
  });

  it('a comment comes every 15 s', async () => {
    const client = await follow();
    await client.wait('snapshot');
    app.clock.advance(14_999);
    assert.equal(client.comments, 0);
    app.clock.advance(1);
    await until('a comment', () => client.comments === 1);
  });

  it('a reader that comes back gets what it has missed after hello, and a snapshot only where that is gone', async () => {
    const [client, other] = [await follow(), await follow()];
    for (const one of [client, other]) await one.wait('snapshot');
    const { lastId } = client;
    await client.leave();
    await app.data('runtimeApplyBlackout', { livestreamId: show.livestreamId, mode: 'Black Frame' });
    await other.wait('status', ({ by }) => by !== undefined, passing);
    const back = await follow('operator', lastId);
    const { data } = await back.wait('status');
    assert.equal(data.livestreams[0].runtime.blackout, 'Black Frame');
    assert.deepEqual(back.events('snapshot'), []);
    const ids = back.messages.flatMap(({ id }) => (id === undefined ? [] : [Number(id.split('.')[1])]));
    assert.deepEqual(
      ids,
      ids.map((_, index) => ids[0]! + index),
      'one after the other',
    );
    for (const id of ['another.1', `${lastId}99`, 'nonsense']) await (await follow('operator', id)).wait('snapshot');
  });

  it('a reader that comes back after the feed has rested gets a snapshot', async () => {
    const client = await follow();
    await client.wait('snapshot');
    const { lastId } = client;
    await client.leave();
    app.clock.advance(5 * 60_000 + 1);
    const back = await follow('operator', lastId);
    const { id } = await back.wait('snapshot');
    assert.notEqual(id, lastId);
  });
});

describe('the end of the feed', () => {
  beforeEach(open);
  afterEach(close);

  async function bye(client: FeedClient, each: () => unknown = () => undefined): Promise<unknown> {
    const { data } = await client.wait('bye', undefined, { each });
    await until('the end', () => client.hasEnded);
    assert.equal(client.messages.at(-1)?.event, 'bye');
    return data;
  }

  it('the feed ends when its token is revoked', async () => {
    const [operator, admin] = [await follow(), await follow('admin')];
    await app.data('revokeApiToken', { kid: 'operator' });
    assert.deepEqual(await bye(operator), { reason: 'signed_out' });
    assert.equal(admin.hasEnded, false);
  });

  it('the feed ends when its token has come to its end', async () => {
    await app.store.tx((tx) => {
      const [token] = tx.find('tokens', { where: { kid: 'operator' } }).rows;
      tx.put('tokens', { ...token!, expires_at: '2026-01-01T00:01:00.000Z' });
    });
    const client = await follow();
    app.clock.advance(59_000);
    assert.equal(client.hasEnded, false);
    assert.deepEqual(await bye(client, () => app.clock.advance(1000)), { reason: 'expired' });
  });

  it('the feed ends when the user is let in no more, and when the role is another one', async () => {
    const client = await follow();
    await app.data('updateUser', { userId: app.users.operator, user_role: 1 });
    assert.deepEqual(await bye(client), { reason: 'role' });
    const again = await follow();
    assert.equal(again.messages[0]?.data.role, 1);
    await app.data('updateUser', { userId: app.users.operator, active: false });
    assert.deepEqual(await bye(again), { reason: 'signed_out' });
  });

  it('the feed ends when the server closes, which lets nobody in any more', async () => {
    const client = await follow();
    api.feed.close();
    assert.deepEqual(await bye(client), { reason: 'closing' });
    const headers = { authorization: `Bearer ${TOKENS.operator}` };
    assert.equal((await api.rest.request('/svcapiv2/feed', { headers })).status, 503);
  });
});
