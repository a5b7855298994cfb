/** The feed of a running server with a real broadcast: over breaks and kills, and no longer than the session. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestScope } from '../helpers/clean-up.ts';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { FeedClient } from '../helpers/feed-client.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const PASSWORD = 'correct horse battery';

describe('the feed of a running server', () => {
  let service: Service;
  let show: SmallBroadcast;

  before(async () => {
    service = await startService();
    show = await smallBroadcast(service);
    await service.create('/users', {
      username: 'vera',
      first_name: 'Vera',
      last_name: 'Test',
      email: 'vera@example.org',
      password: PASSWORD,
      user_role: 2,
    });
    await goOnAir(service, show.livestreamId);
  });
  after(() => service.dispose());

  async function follow(
    headers: Record<string, string> = {},
    credential: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
  ): Promise<FeedClient> {
    const client = new FeedClient(
      await fetch(`${service.url}/svcapiv2/feed`, { headers: { ...credential, ...headers } }),
    );
    await client.wait('hello');
    return client;
  }

  /** One that ends with the attempt. */
  async function followFor(attempt: TestScope): Promise<FeedClient> {
    const client = await follow();
    attempt.after(() => client.leave());
    await client.wait('snapshot');
    return client;
  }

  async function blackout(mode: string): Promise<void> {
    const reply = await service.rest('POST', `/livestreams/${show.livestreamId}/runtimeOptions/blackout`, { mode });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }

  async function signIn(): Promise<{ cookie: string; csrf: string }> {
    const response = await fetch(`${service.url}/svcapiv2/security/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'vera', password: PASSWORD }),
    });
    assert.equal(response.status, 200);
    const { data } = (await response.json()) as { data: { csrf_token: string } };
    return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '', csrf: data.csrf_token };
  }

  it('a change on air is told with its caller, and so are the rates of a real source', async (attempt) => {
    const client = await followFor(attempt);
    const from = client.messages.length;
    await blackout('Black Frame');
    const { data } = await client.wait('status', ({ by }) => by?.user === 'admin', { from });
    assert.equal(data.livestreams[0].runtime.blackout, 'Black Frame');
    await blackout('Live');
    const rates = await client.wait('rates', ({ rows }) => rows[0]?.[1] > 20);
    assert.equal(rates.data.rows[0][0], show.livestreamId);
    assert.equal(rates.data.rows[0][7].length, 2, 'both renditions');
  });

  it('a connection that breaks is resumed: what happened meanwhile is told once, and no snapshot', async () => {
    const [client, other] = [await follow(), await follow()];
    for (const one of [client, other]) await one.wait('snapshot');
    await client.leave();
    await blackout('Black Frame');
    await other.wait('status', ({ livestreams }) => livestreams[0].runtime?.blackout === 'Black Frame');
    const back = await follow({ 'last-event-id': client.lastId ?? '' });
    await back.wait('status', ({ livestreams }) => livestreams[0].runtime?.blackout === 'Black Frame');
    assert.deepEqual(back.events('snapshot'), []);
    await blackout('Live');
    for (const one of [other, back]) await one.leave();
  });

  it('a killed server comes back with another boot and a snapshot of the present state', async () => {
    const client = await follow();
    await client.wait('snapshot');
    await service.kill('SIGKILL');
    await until('the end', () => client.hasEnded);
    await service.restart();
    const back = await follow({ 'last-event-id': client.lastId ?? '' });
    assert.notEqual(back.messages[0]?.data.boot, client.messages[0]?.data.boot);
    const { data } = await back.wait('snapshot');
    assert.deepEqual(
      data.livestreams.map((one: { livestreamId: number; status: number }) => [one.livestreamId, one.status]),
      [[show.livestreamId, 2]],
    );
    await back.wait('rates', ({ rows }) => rows.length === 1);
    await back.leave();
  });

  it('a session that is ended takes its feed with it, after a word why', async () => {
    const { cookie, csrf } = await signIn();
    const client = await follow({}, { cookie });
    assert.deepEqual([client.messages[0]?.data.user, client.messages[0]?.data.role], ['vera', 2]);
    const headers = { cookie, 'x-csrf-token': csrf };
    const renewed = await fetch(`${service.url}/svcapiv2/security/renew`, { method: 'POST', headers });
    assert.equal(renewed.status, 200);
    assert.match(renewed.headers.get('set-cookie') ?? '', /; Max-Age=43200/u);
    const left = await fetch(`${service.url}/svcapiv2/security/logout`, { method: 'POST', headers });
    assert.equal(left.status, 200);
    const { data } = await client.wait('bye');
    assert.deepEqual(data, { reason: 'signed_out' });
    await until('the end', () => client.hasEnded);
  });

  it('a server that closes says so, and ends in time', async () => {
    const client = await follow();
    await client.wait('snapshot');
    await service.restart();
    await until('the end', () => client.hasEnded);
    assert.deepEqual(client.events('bye')[0]?.data, { reason: 'closing' });
  });
});
