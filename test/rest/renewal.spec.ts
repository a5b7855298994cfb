/** An open page renews its session, and its feed goes on with it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openRestApi, type RestApi } from '../app/rest-api.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import { FeedClient } from '../helpers/feed-client.ts';
import { until } from '../helpers/until.ts';
import { weakHashOf } from '../helpers/weak-hash.ts';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;

interface Answer {
  status: number;
  cookie: string | null;
  body: any;
}

describe('the renewal of a session', () => {
  let app: TestApp;
  let api: RestApi;
  let cookie: string;
  let csrf: string;

  beforeEach(async () => {
    app = await startTestApp();
    api = await openRestApi(app);
    const password_hash = weakHashOf(PASSWORD);
    await app.store.tx((tx) => tx.put('users', { ...tx.get('users', app.users.operator)!, password_hash }));
    const { body, cookie: set } = await ask('login', { username: 'operator', password: PASSWORD });
    cookie = set?.split(';')[0] ?? '';
    csrf = body.data.csrf_token;
  });
  afterEach(async () => {
    api.feed.close();
    await app.close();
  });

  async function ask(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    method = 'POST',
  ): Promise<Answer> {
    const response = await api.rest.request(`/svcapiv2/security/${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, cookie: response.headers.get('set-cookie'), body: await response.json() };
  }
  const renew = (headers: Record<string, string> = { cookie, 'x-csrf-token': csrf }): Promise<Answer> =>
    ask('renew', undefined, headers);
  const isIn = async (): Promise<boolean> => (await ask('me', undefined, { cookie }, 'GET')).status === 200;
  const follow = async (): Promise<FeedClient> => {
    const client = new FeedClient(await api.rest.request('/svcapiv2/feed', { headers: { cookie } }));
    await client.wait('snapshot');
    return client;
  };

  it('a renewal sets the cookie anew, for twelve hours from then, and answers as a sign-in does', async () => {
    app.clock.advance(5 * HOUR_MS);
    const { status, cookie: set, body } = await renew();
    assert.equal(status, 200);
    assert.equal(set, `${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200`);
    assert.deepEqual([body.data.username, body.data.expires_at], ['operator', '2026-01-01T17:00:00.000Z']);
    assert.equal(body.data.csrf_token, csrf, 'other windows go on with theirs');
    app.clock.advance(11 * HOUR_MS);
    assert.ok(await isIn());
    app.clock.advance(HOUR_MS);
    assert.equal(await isIn(), false);
  });

  it('a session ends 30 days after its sign-in, however often it is renewed', async () => {
    for (let hours = 0; hours < 30 * 24 - 6; hours += 6) {
      app.clock.advance(6 * HOUR_MS);
      assert.equal((await renew()).status, 200);
    }
    const last = await renew();
    assert.equal(last.body.data.expires_at, '2026-01-31T00:00:00.000Z');
    assert.match(last.cookie ?? '', /Max-Age=21600$/u);
    app.clock.advance(6 * HOUR_MS);
    assert.equal((await renew()).status, 401);
    assert.equal(await isIn(), false);
  });

  it('a renewal is in the audit once a day', async () => {
    const audited = async (): Promise<unknown[]> => {
      const rows = await app.rows('getAuditLog', { operation: 'renewSession', sort: 'id' });
      return rows.map(({ user, via, outcome, at }) => [user, via, outcome, at]);
    };
    for (let hours = 0; hours < 25; hours += 1) {
      assert.equal((await renew()).status, 200);
      app.clock.advance(HOUR_MS);
    }
    assert.deepEqual(await audited(), [
      ['operator', 'ui', 'ok', '2026-01-01T00:00:00.000Z'],
      ['operator', 'ui', 'ok', '2026-01-02T00:00:00.000Z'],
    ]);
  });

  it('a renewal needs the session and the CSRF token of the page itself', async () => {
    assert.equal((await renew({})).status, 401);
    assert.equal((await renew({ authorization: `Bearer ${TOKENS.operator}` })).status, 401);
    assert.equal((await renew({ cookie })).status, 403);
    const foreign = { cookie, 'x-csrf-token': csrf, origin: 'https://elsewhere.example' };
    assert.equal((await renew(foreign)).status, 403);
    assert.equal((await ask('renew', undefined, { cookie }, 'GET')).status, 405);
    await app.data('updateUser', { userId: app.users.operator, active: false });
    assert.equal((await renew()).status, 401);
  });

  it('the feed of a session goes on with its renewal, and ends with it', async () => {
    const client = await follow();
    app.clock.advance(11 * HOUR_MS);
    await renew();
    app.clock.advance(2 * HOUR_MS);
    // A reader that has eleven hours to read at once loses rates.
    await client.wait('rates', ({ at }) => at > '2026-01-01T13:00:00.000Z', { each: () => app.clock.advance(1000) });
    assert.equal(client.hasEnded, false);
    app.clock.advance(11 * HOUR_MS);
    const { data } = await client.wait('bye');
    assert.deepEqual(data, { reason: 'expired' });
    await until('the end', () => client.hasEnded);
  });

  it('the feed of a session ends with the sign-out, those of other sessions go on', async () => {
    const client = await follow();
    const other = new FeedClient(
      await api.rest.request('/svcapiv2/feed', { headers: { authorization: `Bearer ${TOKENS.operator}` } }),
    );
    await ask('logout', undefined, { cookie, 'x-csrf-token': csrf });
    const { data } = await client.wait('bye');
    assert.deepEqual(data, { reason: 'signed_out' });
    await until('the end', () => client.hasEnded);
    assert.equal(other.hasEnded, false);
    const response = await api.rest.request('/svcapiv2/feed', { headers: { cookie } });
    assert.equal(response.status, 401);
    await response.body?.cancel();
  });
});
