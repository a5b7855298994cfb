/** More than anybody means, against the real service with its own limits: what is refused costs nobody else anything. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { letPass } from '../helpers/pass.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { createSender, crowd, type Sender } from './hostile/sender.ts';

/** Calls a minute that are the default, a minute's worth at once. */
const LIMIT = 12_000;
const BATCH = 100;
const PASSWORD = 'the password of the administrator';
/** Mistypings that people make in a row. */
const FREE_FAILURES = 5;

let service: Service;
let sender: Sender;
before(async () => {
  service = await startService({ ONAIR_BOOTSTRAP_PASSWORD: PASSWORD });
  sender = createSender(service.url);
});
after(async () => {
  sender?.close();
  await service?.dispose();
});

const headers = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

describe('a flood', () => {
  it(`a flood of ${LIMIT + 2000} calls that cannot be read is held to the limit, by one token alone`, async () => {
    const other = (await service.rest('POST', '/security/tokens', { name: 'other' })).body.data.token as string;
    const unread = { name: 'call_tool', arguments: { operationId: 'getAllChannels', arguments: '{' } };
    const batch = Array.from({ length: BATCH }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: unread,
    }));
    const shot = {
      kind: 'a batch',
      method: 'POST',
      path: '/mcp',
      headers: headers(TOKEN),
      body: JSON.stringify(batch),
    };
    const codes = new Map<string, number>();
    let sent = 0;
    const send = async (): Promise<void> => {
      sent += BATCH;
      const answers = JSON.parse((await sender.send(shot)).text) as any[];
      for (const { result } of answers) {
        const { code, retry_after_seconds: wait } = result.structuredContent;
        if (code === 'rate_limited') assert.ok(wait >= 1 && wait <= 60, `it says to wait ${wait} s`);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    };
    await crowd(Array.from({ length: (LIMIT + 2000) / BATCH }).keys(), 4, send);
    // A machine that answers no more calls than the limit fills by meanwhile is sent more of them.
    await until(
      'a call is refused',
      async () => codes.has('rate_limited') || void (await Promise.all([1, 2, 3, 4].map(send))),
    );
    const passed = codes.get('invalid_input') ?? 0;
    assert.deepEqual([...codes.keys()].sort(), ['invalid_input', 'rate_limited']);
    assert.ok(passed >= LIMIT - BATCH, `${passed} passed`);
    assert.equal(passed + codes.get('rate_limited')!, sent);
    const path = '/svcapiv2/channels';
    const asOther = await sender.send({ kind: 'other', method: 'GET', path, headers: headers(other) });
    assert.equal(asOther.status, 200, 'another token is served');
    const broken = { kind: 'REST', method: 'POST', path, headers: headers(TOKEN), body: '{' };
    // The limit fills by 200 calls a second, which a slow machine answers hardly faster: more are sent until one is refused.
    const statuses = new Set<number>();
    await until('the same token is not served over REST', async () => {
      for (const { status } of await Promise.all(Array.from({ length: 400 }, () => sender.send(broken))))
        statuses.add(status);
      return statuses.has(429);
    });
    assert.deepEqual([...statuses].sort(), [400, 429]);
    assert.equal((await sender.send({ ...broken, headers: headers(other) })).status, 400);
  });

  it('a flood of unknown tokens leaves 200 audit entries; the revoked token of a user still gets its own entry', async () => {
    // The calls before have used up the limit, which fills by 200 calls a second.
    const { token, kid } = await until('a call passes', async () => {
      const { status, body } = await service.rest('POST', '/security/tokens', { name: 'soon revoked' });
      return status === 201 && body.data;
    });
    await until('it is revoked', async () => (await service.rest('DELETE', `/security/tokens/${kid}`)).status === 200);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const tryToken = async (path: string, secret: string): Promise<void> => {
      const post = path === '/mcp' ? { method: 'POST', body } : { method: 'GET' };
      assert.equal((await sender.send({ kind: 'a guess', path, headers: headers(secret), ...post })).status, 401);
    };
    const apis = ['/mcp', '/svcapiv2/channels'] as const;
    await crowd(Array.from({ length: 1000 }).keys(), 8, (guess) => tryToken(apis[guess % 2]!, `guess-${guess}`));
    for (const api of apis) for (let times = 0; times < 10; times += 1) await tryToken(api, token);
    const { rows } = (await service.rest('GET', '/system/audit?pageSize=500&operation=authenticate')).body;
    const kids = new Map<string | null, number>();
    for (const row of rows as any[]) kids.set(row.token_kid, (kids.get(row.token_kid) ?? 0) + 1);
    assert.deepEqual(
      [...kids].sort(),
      [
        [null, 200],
        [kid, 1],
      ].sort(),
      'by kid',
    );
    assert.ok(
      rows.every((row: any) => row.outcome === 'unauthenticated'),
      'all of them refused',
    );
  });

  it('a flood of sign-ins is slowed down by its own throttle, and leaves a few entries in the audit', async () => {
    const signIn = (password: string, username = 'admin'): ReturnType<Service['rest']> =>
      service.rest('POST', '/security/login', { username, password }, { authorization: '' });
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, at) => signIn(`wrong ${at}`, at % 2 ? 'admin' : `nobody${at}`)),
    );
    const tried = replies.filter(({ status }) => status === 401).length;
    const held = replies.filter(({ status }) => status === 429);
    // So many names of the address, and so many tries of each name; more where the first waits are over before the last call.
    assert.ok(tried >= FREE_FAILURES && tried < 6 * FREE_FAILURES, String(tried));
    assert.equal(held.length, 60 - tried);
    assert.ok(
      held.every((reply) => Number(reply.headers.get('retry-after')) >= 1),
      'each says when to try again',
    );
    const waitSeconds = Number((await signIn(PASSWORD)).headers.get('retry-after') ?? 0);
    await letPass(waitSeconds * 1000);
    await until('the right password is taken', async () => (await signIn(PASSWORD)).status === 200, { everyMs: 500 });
    const failures = await until('the audit', async () => {
      const { body } = await service.rest('GET', '/system/audit?pageSize=500&sort=-id');
      const rows = (body.rows as any[]).filter(({ operation, outcome }) => operation === 'login' && outcome !== 'ok');
      return rows.length >= tried && rows;
    });
    assert.equal(failures.length, tried);
    assert.equal(JSON.stringify(failures).includes('nobody'), false, 'names that nobody has are not kept');
  });
});
