import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod/v3';
import { AppError } from '../../domain/base/errors.ts';
import { reference } from '../../domain/base/schema.ts';
import { TOKENS } from '../app/users.ts';
import { type RestTestApp, problemOf, startRestApp } from './rest-app.ts';
import { echoTool, makeTool } from './tools.ts';

const CHANNEL = { name: 'Feed', type: 'Stream', settings: { url: 'https://example.org/a.m3u8' } };

const boom = makeTool({ name: 'boom', rest: 'GET /boom', effect: 'read', input: z.object({}).strict() }, () => {
  throw new Error('the secret is hunter2');
});
const busy = makeTool({ name: 'busy', rest: 'GET /busy', effect: 'read', input: z.object({}).strict() }, () => {
  throw new AppError('rate_limited', 'Too many calls.', { retryAfterSeconds: 2.5 });
});
const adminOnly = makeTool(
  { name: 'adminOnly', rest: 'GET /admin', effect: 'read', access: 'admin', input: z.object({}).strict() },
  () => 'yes',
);
const bind = makeTool(
  { name: 'bind', rest: 'POST /bind', effect: 'update', input: z.object({ channelId: reference('Channel') }).strict() },
  () => 'bound',
);
const slow = makeTool(
  { name: 'slow', rest: 'POST /slow', effect: 'create', input: z.object({}).strict() },
  async ({ request }) => {
    request.progress(25, 100, 'a quarter');
    await new Promise((resolve) => setTimeout(resolve, 10));
    return 'done';
  },
);

describe('a REST call', () => {
  let api: RestTestApp;
  before(async () => {
    api = await startRestApp({
      tools: [
        bind,
        boom,
        busy,
        adminOnly,
        slow,
        echoTool('POST /things/{thingId}/act', { thingId: z.number(), note: z.string().optional() }),
      ],
    });
  });
  after(() => api.close());

  it('a call that takes its time tells how far it is to a caller who takes events, and ends with its answer', async () => {
    const events = await api.send('POST', '/svcapiv2/slow', { body: {}, headers: { Accept: 'text/event-stream' } });
    assert.equal(events.headers.get('content-type'), 'text/event-stream');
    const first = 'event: progress\ndata: {"progress":25,"total":100,"message":"a quarter"}\n\n';
    assert.equal(await events.text(), `${first}event: answer\ndata: {"data":"done"}\n\n`);
    const plain = await api.send('POST', '/svcapiv2/slow', { body: {} });
    assert.deepEqual([plain.status, await plain.json()], [201, { data: 'done' }]);
  });

  it('a REST call creates with 201, reads with 200 and an ETag, lists, updates and deletes', async () => {
    const created = await api.send('POST', '/svcapiv2/channels', { body: CHANNEL });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get('etag'), '"1"');
    const { data } = (await created.json()) as { data: { id: number } };
    const path = `/svcapiv2/channels/${data.id}`;

    const read = await api.send('GET', path);
    assert.equal(read.status, 200);
    assert.equal(read.headers.get('etag'), '"1"');
    assert.equal(read.headers.get('content-type'), 'application/json');
    assert.equal(read.headers.get('cache-control'), 'no-store');

    const updated = await api.send('PUT', path, {
      body: { channelId: data.id, alias: 'F' },
      headers: { 'If-Match': '"1"' },
    });
    assert.equal(updated.status, 200);
    assert.equal(updated.headers.get('etag'), '"2"');
    const stale = await api.send('PUT', path, { body: { alias: 'G' }, headers: { 'If-Match': '"1"' } });
    assert.equal(stale.status, 412);
    assert.equal((await problemOf(stale))['code'], 'version_mismatch');

    const list = await api.send('GET', '/svcapiv2/channels?pageSize=1&type=Stream');
    const { rows, pagination } = (await list.json()) as { rows: { alias: string }[]; pagination: object };
    assert.equal(rows[0]?.alias, 'F');
    assert.deepEqual(pagination, { page: 1, pageSize: 1, total: 1, totalPages: 1 });

    const deleted = await api.send('DELETE', path);
    assert.deepEqual(await deleted.json(), { data: { id: data.id, deleted: true } });
    assert.equal((await api.send('GET', path)).status, 404);
  });

  it('a REST call of nobody known answers 401 with one text, before the body is looked at', async () => {
    const answers = [];
    for (const token of [null, 'unknown']) {
      const response = await api.send('POST', '/svcapiv2/channels', {
        token,
        body: 'no json',
        headers: { 'Content-Type': 'text/plain' },
      });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      answers.push((await problemOf(response))['detail']);
    }
    const basic = await api.send('GET', '/svcapiv2/channels', {
      token: null,
      headers: { Authorization: `Basic ${TOKENS.operator}` },
    });
    assert.equal(basic.status, 401);
    answers.push((await problemOf(basic))['detail']);
    assert.equal(new Set(answers).size, 1);
  });

  it('a REST call keeps a request id of the caller when it is printable, and makes one otherwise', async () => {
    const idOf = async (own: string): Promise<string | null> =>
      (await api.send('GET', '/svcapiv2/channels', { headers: { 'X-Request-Id': own } })).headers.get('x-request-id');
    assert.equal(await idOf('my id 7'), 'my id 7');
    assert.equal(await idOf('x'.repeat(128)), 'x'.repeat(128));
    for (const own of ['x'.repeat(129), 'é', '']) assert.match((await idOf(own)) ?? '', /^[\da-f-]{36}$/u);
    const refused = await api.send('GET', '/svcapiv2/channels/99', { headers: { 'X-Request-Id': 'trace-1' } });
    assert.equal(refused.headers.get('x-request-id'), 'trace-1');
    assert.equal((await problemOf(refused))['request_id'], 'trace-1');
  });

  it('a REST call answers an unknown path 404, a wrong method 405 with Allow, and names what exists', async () => {
    const unknown = await api.send('GET', '/svcapiv2/nothing/here', { token: null });
    assert.equal(unknown.status, 404);
    assert.equal((await problemOf(unknown))['code'], 'unknown_operation');
    const wrong = await api.send('PATCH', '/svcapiv2/channels/1', { token: null });
    assert.equal(wrong.status, 405);
    assert.deepEqual(wrong.headers.get('allow')?.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT']);
    const problem = await problemOf(wrong);
    assert.equal(problem['code'], 'method_not_allowed');
    assert.match(String(problem['detail']), /PUT/u);
    const create = await api.send('HEAD', '/svcapiv2/channels/1', { token: null });
    assert.equal(create.status, 401, 'HEAD is as GET');
    for (const path of ['/elsewhere', '/svcapiv2', '/svcapi%762/channels', '/svcapiv2/channels/']) {
      const response = await api.send('GET', path);
      assert.equal(response.status, 404, path);
      assert.equal((await problemOf(response))['code'], 'unknown_operation', path);
      assert.ok(response.headers.get('x-request-id'), path);
    }
  });

  it('OPTIONS lists the methods of a known path, and answers 404 for an unknown one', async () => {
    const known = await api.send('OPTIONS', '/svcapiv2/channels', { token: null });
    assert.equal(known.status, 204);
    assert.deepEqual(known.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'OPTIONS', 'POST']);
    assert.ok(known.headers.get('x-request-id'));
    assert.equal((await api.send('OPTIONS', '/svcapiv2/nothing', { token: null })).status, 404);
  });

  it('a REST call of a retired path answers 410 with the operation to use', async () => {
    for (const end of ['enable', 'disable']) {
      const response = await api.send('POST', `/svcapiv2/schedules/4/${end}`);
      assert.equal(response.status, 410);
      const problem = await problemOf(response);
      assert.equal(problem['code'], 'retired');
      assert.equal(problem['use'], 'updateSchedule');
    }
  });

  it('an id in a path has digits only: other text answers an unknown path, and digits that are no id an unknown resource', async () => {
    const codes = {
      unknown_operation: ['abc', '1x', '-1', '1.5', '%31', '１', '1%20'],
      not_found: ['0', '007', '99999999999999999999'],
    };
    for (const [code, ids] of Object.entries(codes)) {
      for (const id of ids) {
        const response = await api.send('GET', `/svcapiv2/channels/${id}`);
        assert.equal(response.status, 404, id);
        assert.equal((await problemOf(response))['code'], code, id);
      }
    }
  });

  it('a name in the place of an id, in a path or a body, is answered with the row that has it or the nearest, as by MCP', async () => {
    const body = { ...CHANNEL, name: 'Kamera Nord' };
    const { id } = ((await (await api.send('POST', '/svcapiv2/channels', { body })).json()) as any).data;
    const refusedAt = async (method: string, path: string, sent?: object): Promise<any> =>
      problemOf(await api.send(method, `/svcapiv2${path}`, sent && { body: sent }));
    const exact = await refusedAt('DELETE', '/channels/kamera%20nord');
    assert.deepEqual([exact.status, exact.code, exact.errors[0].meant.id], [404, 'unknown_operation', id]);
    const near = await refusedAt('GET', '/channels/Kamera%20Süd');
    assert.match(near.detail, /There is no Channel "Kamera Süd"\. The nearest: "Kamera Nord"/u);
    assert.ok(
      near.nearest.some((row: { id: number }) => row.id === id),
      JSON.stringify(near),
    );
    const inBody = await refusedAt('POST', '/bind', { channelId: 'Kamera Süd' });
    assert.deepEqual([inBody.status, inBody.code, inBody.nearest[0].id], [400, 'invalid_input', near.nearest[0].id]);
    const stranger = await api.send('GET', '/svcapiv2/channels/Kamera', { token: 'x' });
    assert.equal((await problemOf(stranger))['nearest'], undefined, 'whoever is not known learns no name');
  });

  it('a REST call turns a wait into Retry-After', async () => {
    const response = await api.send('GET', '/svcapiv2/busy');
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '3');
  });

  it('a REST call shows nothing of an unexpected failure', async () => {
    const response = await api.send('GET', '/svcapiv2/boom');
    assert.equal(response.status, 500);
    const text = await response.text();
    assert.ok(!text.includes('hunter2') && !text.includes('.ts:'), text);
    assert.equal((JSON.parse(text) as { code: string }).code, 'internal');
  });

  it('a REST call takes a POST without a body where nothing is required', async () => {
    const response = await api.send('POST', '/svcapiv2/things/7/act');
    assert.deepEqual(await response.json(), { data: { thingId: 7 } });
  });

  it('a REST call refuses a body field that says otherwise than the path, and takes one that agrees', async () => {
    const act = (thingId: unknown): Promise<Response> =>
      api.send('POST', '/svcapiv2/things/7/act', { body: { thingId, note: 'n' } });
    assert.deepEqual(await (await act(7)).json(), { data: { thingId: 7, note: 'n' } });
    for (const other of [8, '7', null]) {
      const response = await act(other);
      assert.equal(response.status, 400);
      assert.deepEqual((await problemOf(response)).errors?.[0]?.code, 'path_mismatch');
    }
  });

  it('a REST call writes one audit entry a mutation, refused ones included, with the listener', async () => {
    await api.send('POST', '/svcapiv2/channels', { body: { name: '' }, headers: { 'X-Request-Id': 'audited' } });
    const { rows } = await api.store.find('audit', { where: { operation: 'addChannel' } });
    const entry = rows.find((row) => row.request_id === 'audited');
    assert.equal(entry?.via, 'rest');
    assert.equal(entry?.outcome, 'invalid_input');
  });
});

describe('a server under a profile', () => {
  it('a server under the profile readonly refuses mutations and allows reads', async () => {
    const api = await startRestApp({ profile: 'readonly' });
    const refused = await api.send('POST', '/svcapiv2/channels', { body: CHANNEL, token: TOKENS.admin });
    assert.equal(refused.status, 403);
    assert.equal((await problemOf(refused))['code'], 'profile_forbidden');
    assert.equal((await api.send('GET', '/svcapiv2/channels')).status, 200);
    await api.close();
  });

  it('a server under the profile voice or operator leaves REST to the role alone', async () => {
    for (const profile of ['voice', 'operator']) {
      const api = await startRestApp({ profile, tools: [adminOnly] });
      assert.equal((await api.send('POST', '/svcapiv2/channels', { body: CHANNEL })).status, 201);
      assert.equal((await api.send('GET', '/svcapiv2/admin', { token: TOKENS.admin })).status, 200);
      await api.close();
    }
  });
});
