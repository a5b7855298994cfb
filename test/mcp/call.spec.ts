import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { seedBroadcast } from '../helpers/seed.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';
import type { TokenOwner } from '../app/users.ts';

let api: McpApi;
let client: Client;
let livestreamId: number;
before(async () => {
  api = await startMcpApi();
  livestreamId = await seedBroadcast(api.store);
  client = await api.client();
});
after(() => api.close());

interface Outcome {
  isError: boolean;
  text: string;
  body: Record<string, any>;
  meta: Record<string, unknown>;
}

async function call(name: string, args: object, meta?: object, by: Client = client): Promise<Outcome> {
  const result = await by.callTool({
    name,
    arguments: args as Record<string, unknown>,
    ...(meta && { _meta: meta as never }),
  });
  return {
    isError: result.isError === true,
    text: textOf(result),
    body: structured(result),
    meta: (result._meta ?? {}) as Record<string, unknown>,
  };
}
const through = (operationId: string, args: unknown, meta?: object): Promise<Outcome> =>
  call('call_tool', { operationId, arguments: args }, meta);

test('an operation answers by its own name and through call_tool alike', async () => {
  const direct = await call('getLivestreamById', { livestreamId });
  assert.deepEqual((await through('getLivestreamById', { livestreamId })).body, direct.body);
  assert.deepEqual(
    (await call('call_tool', { name: 'getLivestreamById', arguments: { livestreamId } })).body,
    direct.body,
  );
  assert.deepEqual((await through('getLivestreamById', JSON.stringify({ livestreamId }))).body, direct.body);
  assert.equal(
    (await through('get_livestream_status', { livestream: 'show' })).text.split('\n')[0],
    '"Show" is off air.',
  );
  assert.ok((await through('search_tools', { query: 'list outputs' })).body['tools'].length > 0);
});

test('a list answers 20 short rows', async () => {
  for (let at = 0; at < 40; at += 1)
    await call('addChannel', { name: `Feed ${at}`, type: 'Stream', settings: { url: 'http://a.example/' } });
  const { body } = await call('getAllChannels', {});
  assert.equal(body['rows'].length, 20);
  assert.deepEqual(
    Object.keys(body['rows'][0]),
    ['id', 'name', 'description', 'type'].filter((key) => key in body['rows'][0]),
  );
});

test('flat arguments get the corrected call, without repeating texts', async () => {
  const { isError, body, text } = await call('call_tool', {
    operationId: 'updatePublishing',
    publishingId: 3,
    stream_key: 'canary-key',
  });
  assert.ok(isError);
  assert.deepEqual(body['corrected_call'], {
    operationId: 'updatePublishing',
    arguments: { publishingId: 3, settings: { stream_key: '<stream_key>' } },
  });
  assert.match(text, /"arguments":\{"publishingId":3/u);
  assert.doesNotMatch(JSON.stringify(body) + text, /canary-key/u);
});

const REFUSALS: [string, unknown, string][] = [
  ['call_tool', { operationId: 'getLivestreamById', arguments: { livestreamId: 999 } }, 'not_found'],
  ['call_tool', { operationId: 'getLivestreamById', arguments: {} }, 'invalid_input'],
  ['call_tool', { operationId: 'getLivestreamById', arguments: 'nonsense' }, 'invalid_input'],
  ['call_tool', { operationId: 'getLivestreamById', arguments: '[1]' }, 'invalid_input'],
  ['call_tool', { operationId: 'getLivestreamById', arguments: 5 }, 'invalid_input'],
  ['call_tool', { operationId: 7 }, 'invalid_input'],
  ['call_tool', {}, 'invalid_input'],
  ['call_tool', { operationId: 'a', name: 'b' }, 'invalid_input'],
  ['call_tool', { operationId: 'call_tool', arguments: {} }, 'unknown_operation'],
  ['call_tool', { operationId: 'getLivestream' }, 'unknown_operation'],
  ['getLivestream', {}, 'unknown_operation'],
  ['__proto__', {}, 'unknown_operation'],
  ['getLivestreamById', { livestreamId: '1; DROP TABLE' }, 'invalid_input'],
  ['getLivestreamById', { livestreamId: 1, __proto__x: 1 }, 'invalid_input'],
  ['getAllLivestreams', { pageSize: 501 }, 'invalid_input'],
  ['getAllLivestreams', { fields: 'token_hash' }, 'invalid_input'],
  ['start_livestream', { livestream: 'x'.repeat(5000) }, 'invalid_input'],
  ['start_livestream', { livestream: 'Show', wait_seconds: 1e9 }, 'invalid_input'],
  ['search_tools', { query: 'x'.repeat(201) }, 'invalid_input'],
  ['search_tools', { query: '' }, 'invalid_input'],
];

test('refusals carry the problem object and the remedy in words', async () => {
  for (const [name, args, code] of REFUSALS) {
    const { isError, body, text } = await call(name, args as object);
    assert.ok(isError, `${name} ${JSON.stringify(args).slice(0, 80)}`);
    assert.equal(body['code'], code, `${name} ${JSON.stringify(args).slice(0, 80)}: ${text}`);
    assert.ok(text.includes(body['remedy']) && text.startsWith(body['detail'].slice(0, 20)));
    for (const field of ['type', 'title', 'status', 'request_id']) assert.ok(field in body, field);
  }
});

test('unknown names answer with the nearest', async () => {
  const { body } = await call('getLivestream', {});
  assert.ok(
    body['nearest'].includes('getLivestreamById') || body['nearest'].includes('addLivestream'),
    JSON.stringify(body['nearest']),
  );
});

test('arguments deeper than 32 levels are refused, however they come', async () => {
  const deep = (levels: number): object => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)) as object;
  for (const outcome of [
    await call('getLivestreamById', deep(40)),
    await through('getLivestreamById', deep(40)),
    await through('getLivestreamById', '{"a":'.repeat(5000) + '1' + '}'.repeat(5000)),
  ]) {
    assert.equal(outcome.body['errors'][0].code, 'too_deep');
  }
  const response = await api.post(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getLivestreamById","arguments":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}}`,
  );
  assert.ok(response.status < 500);
});

test('wrong types in the frame are JSON-RPC errors, never an exception text', async () => {
  for (const params of [
    {},
    { name: 5 },
    { name: 'getLivestreamById', arguments: [] },
    { name: 'getLivestreamById', arguments: 'x' },
    null,
    'x',
    [],
  ]) {
    const response = await api.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const body = (await response.json()) as any;
    assert.ok(body.error !== undefined || body.result?.isError, JSON.stringify(params));
    assert.doesNotMatch(JSON.stringify(body), /node_modules|at async|TypeError/u);
  }
  for (const body of [[], {}, null, 5, 'x', [1, 2], { jsonrpc: '1.0', id: 1, method: 'ping' }]) {
    const response = await api.post(body);
    assert.ok(response.status < 500, JSON.stringify(body));
  }
});

test('profile ∩ role bounds what a caller finds and calls, by every way in', async () => {
  const cases: [string, TokenOwner, string, object, string][] = [
    ['readonly', 'admin', 'start_livestream', { livestream: 'Show' }, 'profile_forbidden'],
    ['readonly', 'admin', 'addChannel', { name: 'x' }, 'profile_forbidden'],
    ['voice', 'admin', 'deleteLivestream', { livestreamId }, 'profile_forbidden'],
    ['operator', 'admin', 'createApiToken', { name: 'x' }, 'profile_forbidden'],
    ['full', 'operator', 'createApiToken', { name: 'x' }, 'forbidden'],
  ];
  for (const [profile, who, name, args, code] of cases) {
    const narrowed = await api.client(who, { 'x-onair-profile': profile });
    const server = await startMcpApi(profile, { app: api });
    for (const by of [narrowed, await server.client(who)]) {
      assert.equal((await call(name, args, undefined, by)).body['code'], code);
      assert.equal((await call('call_tool', { operationId: name, arguments: args }, undefined, by)).body['code'], code);
      const found = await call('search_tools', { query: name, limit: 20 }, undefined, by);
      assert.ok(!found.body['tools'].some((tool: { name: string }) => tool.name === name), `${profile} finds ${name}`);
    }
    await server.close();
  }
});

test('a header can not widen the profile of the server, and an unknown one is refused', async () => {
  const server = await startMcpApi('readonly', { app: api });
  const client = await server.client('admin', { 'x-onair-profile': 'full' });
  assert.equal((await call('addChannel', { name: 'x' }, undefined, client)).body['code'], 'profile_forbidden');
  assert.equal(
    (await server.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'x-onair-profile': 'root' })).status,
    400,
  );
  await server.close();
});

test('voice speaks: sentences without ids, URLs or JSON', async () => {
  const voice = await api.client('operator', { 'x-onair-profile': 'voice' });
  const outputOf = async (name: string, args: object): Promise<string> =>
    (await call(name, args, undefined, voice)).text;
  assert.equal(await outputOf('getAllLivestreams', {}), '1 Live stream: Show, off air.');
  assert.match(await outputOf('getAllChannels', {}), /^\d+ Channels: .*, and \d+ more\.$/u);
  assert.equal(await outputOf('getLivestreamStatus', { livestreamId }), 'Show is off air.');
  assert.equal(await outputOf('addPublishingGroup', { name: 'All outputs' }), 'All outputs is created.');
  for (const text of [
    await outputOf('getAllPublishings', {}),
    await outputOf('listAssets', {}),
    await outputOf('getLivestreamsStatus', {}),
  ]) {
    assert.doesNotMatch(text, /[{}[\]"]|https?:|\bid\b/u);
  }
});
