import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { toProblem } from '../../domain/base/errors.ts';
import { createKnownHosts } from '../../toolkit/input/known-hosts.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';
import { TOKENS } from '../app/users.ts';

let api: McpApi;
let livestreamId: number;
before(async () => {
  api = await startMcpApi();
  livestreamId = await seedBroadcast(api.store);
});
after(() => api.close());

const rpc = (method: string, params: object = {}, id: number | string = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const read = (id: number | string = 1): object =>
  rpc('tools/call', { name: 'getLivestreamById', arguments: { livestreamId } }, id);

/** fetch sets Host by itself; a raw request says what it likes. */
function raw(headers: Record<string, string>, method = 'POST'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${api.url}/mcp`,
      {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.end(method === 'POST' ? JSON.stringify(rpc('ping')) : undefined);
  });
}

test('a real MCP client lists and calls over HTTP', async () => {
  const client = await api.client();
  assert.equal(client.getServerVersion()?.name, 'onair');
  assert.ok((await client.listTools()).tools.length >= 6);
  const result = await client.callTool({
    name: 'call_tool',
    arguments: { operationId: 'getLivestreamById', arguments: { livestreamId } },
  });
  assert.equal(structured(result)['data'].name, 'Show');
  assert.deepEqual(JSON.parse(textOf(result)), structured(result));
  assert.equal((result._meta as Record<string, unknown>)['etag'], '"1"');
});

test('every MCP request needs its bearer token, before anything else is looked at', async () => {
  for (const authorization of ['', 'Bearer wrong', `Basic ${TOKENS.admin}`]) {
    for (const body of [read(), '{not json', rpc('initialize')]) {
      const response = await api.post(body, {
        authorization,
        cookie: `token=${TOKENS.admin}`,
        origin: 'http://evil.example',
      });
      assert.equal(response.status, 401);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/u);
      assert.equal(((await response.json()) as any).error.data.code, 'unauthenticated');
    }
  }
  assert.equal((await fetch(`${api.url}/mcp`)).status, 401);
});

test('Host and Origin of an MCP request are checked by host name, with any port', async () => {
  const authorization = `Bearer ${TOKENS.admin}`;
  assert.equal(await raw({ authorization, host: 'evil.example' }), 403);
  assert.equal(await raw({ authorization, host: 'localhost.evil.example:80' }), 403);
  assert.equal(await raw({ authorization, host: 'localhost:1' }), 200);
  assert.equal(await raw({ authorization, host: '[::1]:8090' }), 200);
  assert.equal(await raw({ authorization, origin: 'http://evil.example' }), 403);
  assert.equal(await raw({ authorization, origin: 'null' }), 403);
  assert.throws(
    () =>
      createKnownHosts([]).assertKnown(
        new Headers({ origin: 'http://evil.example', host: 'localhost' }),
        'http://localhost/',
      ),
    (error) => /^Call it from a page of its own/u.test(toProblem(error, 'r').remedy),
  );
  assert.equal(await raw({ authorization, origin: 'http://127.0.0.1:3000' }), 200);
  const named = await startMcpApi('full', { app: api, hosts: createKnownHosts(['Onair.Example']) });
  const response = await named.post(rpc('ping'), { origin: 'https://onair.example' });
  assert.equal(response.status, 200);
  await named.close();
});

test('GET and DELETE at the MCP api are answered 405', async () => {
  const authorization = `Bearer ${TOKENS.admin}`;
  for (const method of ['GET', 'DELETE']) assert.equal(await raw({ authorization }, method), 405);
});

test('a body that is not JSON, is too large, or holds too many messages is refused', async () => {
  const broken = await api.post('{"jsonrpc":');
  assert.equal(broken.status, 400);
  assert.equal(((await broken.json()) as any).error.code, -32700);
  const small = await startMcpApi('full', { app: api, maxBodyBytes: 1000 });
  const large = await small.post({ ...read(), pad: 'x'.repeat(2000) });
  assert.equal(large.status, 413);
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(600)) });
  const headers = { authorization: `Bearer ${TOKENS.admin}`, 'content-type': 'application/json' };
  const streamed = await fetch(`${small.url}/mcp`, {
    method: 'POST',
    headers,
    body: endless,
    duplex: 'half',
  } as RequestInit);
  assert.equal(streamed.status, 413);
  await small.close();
  assert.equal((await api.post(Array.from({ length: 101 }, (_, id) => read(id)))).status, 400);
  const batch = (await (await api.post(Array.from({ length: 100 }, (_, id) => read(id)))).json()) as any[];
  assert.equal(batch.length, 100);
  assert.ok(batch.every(({ result }) => result.structuredContent.data.id === livestreamId));
});

test('a body that never comes to its end is given up', async () => {
  const shortBodyTimeout = await startMcpApi('full', { app: api, bodyTimeoutMs: 50 });
  const headers = { authorization: `Bearer ${TOKENS.admin}`, 'content-type': 'application/json' };
  const begun = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"json')) });
  const options = { method: 'POST', headers, body: begun, duplex: 'half', signal: AbortSignal.timeout(120_000) };
  const response = await fetch(`${shortBodyTimeout.url}/mcp`, options as RequestInit);
  assert.equal(response.status, 400);
  assert.match(((await response.json()) as any).error.data.detail, /did not arrive within 0\.05 s/u);
  await shortBodyTimeout.close();
});

test('X-Request-Id is kept when it can be printed, and stands in the problem', async () => {
  const response = await api.post(rpc('tools/call', { name: 'getLivestreamById', arguments: { livestreamId: 999 } }), {
    'x-request-id': 'abc-1',
  });
  assert.equal(response.headers.get('x-request-id'), 'abc-1');
  assert.equal(((await response.json()) as any).result.structuredContent.request_id, 'abc-1');
  assert.match(
    (await api.post(read(), { 'x-request-id': 'a b' })).headers.get('x-request-id') ?? '',
    /^[0-9a-f-]{36}$/u,
  );
});

test('only a client that asks for progress gets a stream', async () => {
  assert.match((await api.post(read())).headers.get('content-type') ?? '', /^application\/json/u);
  const params = {
    name: 'start_livestream',
    arguments: { livestream: 'Show', wait_seconds: 0 },
    _meta: { progressToken: 7 },
  };
  const response = await api.post(rpc('tools/call', params));
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/u);
  assert.match(await response.text(), /Show.*is still starting/u);
  await (await api.client()).callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
});

test('a waiting call sends progress, and its cancellation ends the wait alone', async () => {
  const client = await api.client();
  const controller = new AbortController();
  const steps: number[] = [];
  const call = client.callTool(
    { name: 'start_livestream', arguments: { livestream: 'Show', wait_seconds: 60 } },
    undefined,
    {
      signal: controller.signal,
      onprogress: ({ progress }) => {
        steps.push(progress);
        controller.abort('enough');
      },
    },
  );
  await assert.rejects(call);
  assert.deepEqual(steps.slice(0, 1), [0]);
  // The cancellation reached the call: its key is free again only when the call has ended.
  const run = (await api.store.get('runs', livestreamId))?.row;
  assert.equal(run?.desired, 'on');
  await client.callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
});

test('one client cannot cancel the call of another with the same token and id', async () => {
  const start = rpc('tools/call', { name: 'start_livestream', arguments: { livestream: 'Show', wait_seconds: 2 } }, 5);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
  const waiting = api.post(start, { 'mcp-session-id': 'one' });
  await until('the start', async () => (await api.store.get('runs', livestreamId))?.row.desired === 'on');
  assert.equal((await api.post(cancel, { 'mcp-session-id': 'two' })).status, 202);
  assert.equal((await api.post(cancel)).status, 202);
  assert.match(await (await waiting).text(), /still starting.*"seconds":(?![01],)/u, 'it waited to the end');
  let isOver = false;
  const longer = { livestream: 'Show', wait_seconds: 60 };
  const again = api
    .post(rpc('tools/call', { name: 'start_livestream', arguments: longer }, 5), { 'mcp-session-id': 'one' })
    .finally(() => (isOver = true));
  // Nothing shows from outside when the second call has arrived.
  await until('the end of the wait', async () => {
    await api.post(cancel, { 'mcp-session-id': 'one' });
    return isOver;
  });
  await again;
  await (await api.client()).callTool({ name: 'stop_livestream', arguments: { livestream: 'Show' } });
});

test('a cancellation in the batch of its call does not leave the reply hanging', async () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const response = await api.post([read(1), cancel]);
  assert.equal(response.status, 200);
});

test('a request that the protocol does not mean is refused in words, and a task that nobody offers is a plain call', async () => {
  const answerTo = async (method: string, params: object): Promise<any> =>
    (await api.post(rpc(method, params))).json() as any;
  for (const [method, params, field, code] of [
    ['initialize', { protocolVersion: 5 }, 'protocolVersion', 'invalid_type'],
    ['initialize', { protocolVersion: '2025-11-25' }, 'capabilities', 'required'],
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {} }, 'clientInfo', 'required'],
    ['tools/call', { name: 'x'.repeat(2000) }, 'name', 'too_long'],
    ['resources/read', { uri: `onair://${'x'.repeat(2000)}` }, 'uri', 'too_long'],
  ] as const) {
    const { error } = await answerTo(method, params);
    assert.deepEqual([error.code, error.data.errors[0].field, error.data.errors[0].code], [-32602, field, code]);
  }
  const { result } = await answerTo('tools/call', { name: 'getLivestreamById', arguments: { livestreamId }, task: {} });
  assert.equal(result.structuredContent.data.id, livestreamId);
});

test('a body that is compressed, or holds more than a call can, is refused before it is parsed', async () => {
  const compressed = await api.post(read(), { 'content-encoding': 'gzip' });
  assert.deepEqual([compressed.status, ((await compressed.json()) as any).error.data.code], [415, 'unsupported_media']);
  const begun = process.cpuUsage();
  for (const inner of ['"a",'.repeat(1_000_000) + '1', '['.repeat(100_000)]) {
    const response = await api.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":[${inner}]}}`);
    assert.deepEqual([response.status, ((await response.json()) as any).error.data.code], [400, 'invalid_input']);
  }
  const { user, system } = process.cpuUsage(begun);
  assert.ok(user + system < 3_000_000, `${user + system} µs of CPU`);
});
