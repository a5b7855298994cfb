/** Repeated calls over REST: the same one under its Idempotency-Key, and more than a credential may make. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { z } from 'zod/v3';
import { AppError } from '../../domain/base/errors.ts';
import { createRateLimit } from '../../toolkit/rate-limit.ts';
import { type RestTestApp, problemOf, startRestApp } from './rest-app.ts';
import { makeTool } from './tools.ts';

const CHANNELS = '/svcapiv2/channels';
const channel = (name: string): object => ({
  name,
  type: 'Stream',
  settings: { url: 'https://example.org/a.m3u8' },
});

describe('Idempotency-Key over REST', () => {
  let api: RestTestApp;
  let release: () => void;
  let running: Promise<void>;
  beforeEach(async () => {
    let arrive: () => void;
    running = new Promise((resolve) => (arrive = resolve));
    const gate = new Promise<void>((resolve) => (release = resolve));
    const input = z.object({}).strict();
    api = await startRestApp({
      tools: [
        makeTool({ name: 'slow', rest: 'POST /slow', effect: 'control', input }, () => {
          arrive();
          return gate.then(() => 'done');
        }),
        makeTool({ name: 'down', rest: 'POST /down', effect: 'control', input }, () => {
          throw new AppError('upstream_failed', 'No answer.');
        }),
      ],
    });
  });
  afterEach(() => api.close());

  const keyed = { 'Idempotency-Key': 'once' };

  it('a call repeated under its Idempotency-Key has the ETag with the answer', async () => {
    const add = (): Promise<Response> => api.send('POST', CHANNELS, { body: channel('New'), headers: keyed });
    const [first, second] = [await add(), await add()];
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.equal(first.headers.get('etag'), '"1"');
    assert.equal(second.headers.get('etag'), '"1"');
  });

  it('a repeated call gets the refusal of the operation again, with the request id of the present call', async () => {
    await api.send('POST', CHANNELS, { body: channel('Taken') });
    const again = (id: string): Promise<Response> =>
      api.send('POST', CHANNELS, { body: channel('Taken'), headers: { ...keyed, 'X-Request-Id': id } });
    const first = await again('one');
    await api.send('DELETE', `${CHANNELS}/1`);
    const second = await again('two');
    assert.deepEqual([first.status, second.status], [409, 409]);
    assert.deepEqual(
      [first, second].map(({ headers }) => headers.get('idempotency-replayed')),
      [null, 'true'],
    );
    assert.equal(second.headers.get('content-type'), 'application/problem+json');
    assert.deepEqual(await problemOf(second), { ...(await problemOf(first)), request_id: 'two' });
  });

  it('nothing is repeated that was refused before the operation: the caller corrects it under the same key', async () => {
    const send = (body: unknown, token?: string | null): Promise<Response> =>
      api.send('POST', CHANNELS, { body, headers: keyed, ...(token !== undefined && { token }) });
    assert.equal((await send(channel('New'), null)).status, 401);
    assert.equal((await send(channel(''))).status, 400);
    assert.equal((await send('no json')).status, 415);
    const done = await send(channel('New'));
    assert.deepEqual([done.status, done.headers.get('idempotency-replayed')], [201, null]);
  });

  it('a failure of something outside is not repeated under the same Idempotency-Key', async () => {
    for (let tries = 0; tries < 2; tries += 1) {
      const response = await api.send('POST', '/svcapiv2/down', { headers: keyed });
      assert.deepEqual([response.status, response.headers.get('idempotency-replayed')], [502, null]);
    }
  });

  it('a call repeated while the first one runs answers 409 with Retry-After', async () => {
    const first = api.send('POST', '/svcapiv2/slow', { headers: keyed });
    await running;
    const second = await api.send('POST', '/svcapiv2/slow', { headers: keyed });
    assert.deepEqual([second.status, second.headers.get('retry-after')], [409, '1']);
    release();
    assert.equal((await first).status, 200);
    const third = await api.send('POST', '/svcapiv2/slow', { headers: keyed });
    assert.equal(third.headers.get('idempotency-replayed'), 'true');
  });
});

describe('the rate limit over REST', () => {
  it('the rate limit answers 429 with whole seconds in Retry-After, executes nothing and audits nothing', async () => {
    let nowMs = 0;
    const rateLimit = createRateLimit(3, () => nowMs, { warn: () => undefined });
    const api = await startRestApp({ rateLimit });
    try {
      for (const name of ['A', 'B', 'C'])
        assert.equal((await api.send('POST', CHANNELS, { body: channel(name) })).status, 201);
      const refused = await api.send('POST', CHANNELS, { body: channel('D') });
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '20']);
      const problem = await problemOf(refused);
      assert.deepEqual([problem['code'], problem['retry_after_seconds']], ['rate_limited', 20]);
      assert.equal((await api.store.find('channels', {})).total, 3);
      assert.equal((await api.store.find('audit', {})).total, 3);
      nowMs += 20_000;
      assert.equal((await api.send('POST', CHANNELS, { body: channel('D') })).status, 201);
      assert.equal((await api.send('GET', CHANNELS)).status, 429, 'reads are counted too');
    } finally {
      await api.close();
    }
  });
});
