/** The generation without a handshake, message by message: what a request must say of itself, and what it gets. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRateLimit } from '../../toolkit/rate-limit.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import type { Connection } from '../../mcp/calls/connection.ts';
import { openSession2026 } from '../../mcp/protocol/protocol-2026.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { startTestApp } from '../app/test-app.ts';
import { TOKENS, type TokenOwner } from '../app/users.ts';
import { until } from '../helpers/until.ts';

const REVISION = '2026-07-28';
const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

let api: McpApi;
let livestreamId: number;
before(async () => {
  api = await startMcpApi();
  livestreamId = await seedBroadcast(api.store);
});
after(() => api.close());

type Params = Record<string, any>;
const message = (method: string, params: Params = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: { ...ABOUT, ...params['_meta'] } },
});
const headersOf = (method: string, params: Params): Record<string, string> => ({
  'mcp-protocol-version': REVISION,
  'mcp-method': method,
  ...((params['name'] ?? params['uri']) && { 'mcp-name': String(params['name'] ?? params['uri']) }),
});
const post = (method: string, params: Params = {}, headers: Record<string, string> = {}, by = api): Promise<Response> =>
  by.post(message(method, params), { ...headersOf(method, params), ...headers });
const answerTo = async (...request: Parameters<typeof post>): Promise<any> => (await post(...request)).json();
const as = (who: TokenOwner): Record<string, string> => ({ authorization: `Bearer ${TOKENS[who]}` });

describe('a request of MCP 2026-07-28', () => {
  it('a client of MCP 2026-07-28 is greeted by server/discover, without a handshake', async () => {
    const response = await post('server/discover');
    const { result } = (await response.json()) as any;
    assert.deepEqual(result.supportedVersions, [REVISION]);
    assert.deepEqual(result.capabilities, { tools: {}, prompts: {}, resources: {} });
    assert.match(result.instructions, /^onair controls live video broadcasts/u);
    assert.equal(result._meta['io.modelcontextprotocol/serverInfo'].name, 'onair');
    assert.ok((response.headers.get('x-request-id') ?? '') !== '', 'a request id');
    assert.equal(response.headers.get('mcp-session-id'), null);
  });

  it('a client of MCP 2026-07-28 gets lists that vary by authorisation only, and may be kept by nobody else', async () => {
    const list = async (who: TokenOwner, profile: string): Promise<any> =>
      (await answerTo('tools/list', {}, { ...as(who), 'x-onair-profile': profile })).result;
    const first = await list('admin', 'full');
    assert.deepEqual(await list('admin', 'full'), first);
    assert.equal(first.cacheScope, 'private');
    const names = ({ tools }: any): string[] => tools.map((tool: { name: string }) => tool.name);
    assert.deepEqual(names(await list('operator', 'readonly')), names(first));
    const hints = ({ tools }: any): object =>
      tools.find((tool: { name: string }) => tool.name === 'call_tool').annotations;
    assert.notDeepEqual(hints(await list('operator', 'readonly')), hints(first));
  });

  it('a request of MCP 2026-07-28 may name what it takes by a range and in any case, and so its own type', async () => {
    const types: Record<string, string>[] = [
      { accept: '*/*' },
      { accept: 'Application/JSON, Text/Event-Stream' },
      { accept: 'text/*;q=0.5, application/*' },
      { 'content-type': 'Application/JSON; Charset=UTF-8' },
    ];
    for (const headers of types)
      for (const [method, params] of [
        ['tools/list', {}],
        ['tools/call', { name: 'getAllChannels', arguments: {} }],
      ] as const)
        assert.ok((await answerTo(method, params, headers)).result, JSON.stringify(headers));
  });

  it('a request of MCP 2026-07-28 needs its bearer token; a cookie is none', async () => {
    for (const method of ['server/discover', 'tools/list', 'tools/call', 'resources/read', 'prompts/list']) {
      const cookie = `onair_session=${TOKENS.admin}; token=${TOKENS.admin}`;
      const response = await post(method, {}, { authorization: '', cookie });
      assert.equal(response.status, 401, method);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/u);
    }
  });

  it('a request of MCP 2026-07-28 is refused from another Origin', async () => {
    assert.equal((await post('tools/list', {}, { origin: 'http://evil.example' })).status, 403);
  });

  it('a request of MCP 2026-07-28 is refused when headers and body disagree, or when it comes in a batch', async () => {
    const read = { name: 'getAllChannels', arguments: {} };
    const wrong: Record<string, string>[] = [
      { 'mcp-name': 'other' },
      { 'mcp-method': 'tools/list' },
      { 'mcp-protocol-version': '2025-11-25' },
    ];
    for (const headers of wrong)
      assert.equal((await post('tools/call', read, headers)).status, 400, JSON.stringify(headers));
    const unknown = await answerTo('tools/list', {
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    });
    assert.ok(unknown.error.code < 0, JSON.stringify(unknown));
    const batch = await api.post([message('tools/list'), message('tools/list')], headersOf('tools/list', {}));
    assert.equal(batch.status, 400);
    assert.equal((await post('tools/list', {}, { 'content-type': 'text/plain' })).status, 415);
  });

  it('a request that the SDK refuses is refused in our form too, with what the protocol has beside it', async () => {
    const read = { name: 'getAllChannels', arguments: {} };
    const future = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } };
    const refused: [
      rpcCode: number,
      code: string,
      status: number,
      fact: string | undefined,
      ...Parameters<typeof post>,
    ][] = [
      [-32020, 'invalid_input', 400, 'mismatch', 'tools/call', read, { 'mcp-name': 'other' }],
      [-32020, 'invalid_input', 400, 'mismatch', 'tools/list', {}, { 'mcp-method': 'tools/call' }],
      [-32022, 'invalid_input', 400, 'supported', 'tools/list', future, { 'mcp-protocol-version': '2099-01-01' }],
      [-32602, 'invalid_input', 400, 'envelope', 'tools/list', { _meta: { 'io.modelcontextprotocol/clientInfo': 5 } }],
      [-32000, 'unsupported_media', 415, 'allowed', 'tools/list', {}, { 'content-type': 'text/plain' }],
      [-32601, 'unknown_operation', 404, undefined, 'nonsense'],
      [-32602, 'invalid_input', 200, undefined, 'subscriptions/listen'],
    ];
    for (const [rpcCode, code, status, fact, ...request] of refused) {
      const response = await post(...request);
      const { error, id } = (await response.json()) as any;
      const shown = JSON.stringify(error);
      assert.deepEqual([response.status, error.code, error.data?.code], [status, rpcCode, code], shown);
      assert.ok(id === 1 || status === 415, 'by its id');
      assert.ok(error.message.endsWith(error.data.remedy), shown);
      assert.equal(error.data.request_id, response.headers.get('x-request-id'));
      if (fact !== undefined) assert.ok(error.data[fact] !== undefined, shown);
    }
  });

  it('a request of MCP 2026-07-28 is refused in the same form on stdio', async () => {
    const heard: any[] = [];
    const connection = { version: '0', instructions: '', requestId: 'r-1' } as unknown as Connection;
    const session = await openSession2026(connection, async (message) => void heard.push(message));
    const sent: [number, string, object][] = [
      [-32601, 'unknown_operation', message('nonsense')],
      [-32602, 'invalid_input', message('subscriptions/listen')],
    ];
    for (const [rpcCode, code, request] of sent) {
      session.receive(request);
      await until('an answer', () => heard.length > 0, { everyMs: 5 });
      const { error } = heard.shift() ?? {};
      assert.deepEqual([error?.code, error?.data?.code, error?.data?.request_id], [rpcCode, code, 'r-1']);
    }
    await session.close();
  });

  it('a request of MCP 2026-07-28 does not find the methods that only the older generation has', async () => {
    for (const method of ['initialize', 'ping', 'nonsense']) {
      const response = await post(method);
      assert.deepEqual([response.status, ((await response.json()) as any).error.code], [404, -32601], method);
    }
  });

  it('a request of MCP 2026-07-28 is refused in our words where its parameters are wrong', async () => {
    const wrong: [method: string, params: Params, field: string][] = [
      ['prompts/get', {}, 'name'],
      ['prompts/get', { name: 5 }, 'name'],
      ['prompts/get', { name: 'go_live', arguments: 5 }, 'arguments'],
      ['prompts/get', { name: 'go_live', arguments: ['Show'] }, 'arguments'],
      ['prompts/get', { name: 'go_live', arguments: { livestream: 5 } }, 'livestream'],
      ['resources/read', {}, 'uri'],
      ['resources/read', { uri: 5 }, 'uri'],
    ];
    for (const [method, params, field] of wrong) {
      const { error } = await answerTo(method, params);
      const messages = [error.code, error.data?.code, error.data?.errors[0].field];
      assert.deepEqual(messages, [-32602, 'invalid_input', field], JSON.stringify([method, params, error]));
      assert.match(error.message, new RegExp(`^The input is not valid\\. ${field}: [^.]+\\. \\p{Lu}`, 'u'));
    }
  });

  it('a subscription of MCP 2026-07-28 is acknowledged and grants nothing: states are polled', async () => {
    const response = await post('subscriptions/listen', { notifications: { toolsListChanged: true } });
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/u);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    const { method, params } = JSON.parse(/^data: (.*)$/mu.exec(first)?.[1] ?? '');
    assert.equal(method, 'notifications/subscriptions/acknowledged');
    assert.deepEqual(params.notifications, {});
  });

  it('the answer to a request of MCP 2026-07-28 is a JSON document unless there is progress to send', async () => {
    const read = await post('tools/call', { name: 'getLivestreamById', arguments: { livestreamId } });
    assert.match(read.headers.get('content-type') ?? '', /^application\/json/u);
    const args = { livestream: 'Show', wait_seconds: 1 };
    const started = await post('tools/call', {
      name: 'start_livestream',
      arguments: args,
      _meta: { progressToken: 'a' },
    });
    assert.match(started.headers.get('content-type') ?? '', /^text\/event-stream/u);
    const stream = await started.text();
    assert.match(stream, /"method":"notifications\/progress"/u);
    assert.match(stream, /Show.*is still starting/u);
    await post('tools/call', { name: 'stop_livestream', arguments: { livestream: 'Show' } });
  });

  it('a request of MCP 2026-07-28 has the same bounds: depth, size, rate', async () => {
    const deep = JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40)) as object;
    const { result } = await answerTo('tools/call', { name: 'getLivestreamById', arguments: deep });
    assert.equal(result.structuredContent.errors[0].code, 'too_deep');
    const small = await startMcpApi('full', { app: api, maxBodyBytes: 1000 });
    const pad = { query: 'x'.repeat(2000) };
    assert.equal((await post('tools/call', { name: 'search_tools', arguments: pad }, {}, small)).status, 413);
    await small.close();
    const app = await startTestApp({
      clock: systemClock,
      rateLimit: createRateLimit(3, () => 0, { warn: () => undefined }),
    });
    const limited = await startMcpApi('full', { app });
    const codes: unknown[] = [];
    for (let call = 0; call < 2; call += 1) {
      const answer = await answerTo('tools/call', { name: 'getAllChannels', arguments: {} }, {}, limited);
      codes.push(answer.result.structuredContent.code);
    }
    await limited.post({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'getAllChannels', arguments: {} },
    });
    const over = await answerTo('tools/call', { name: 'getAllChannels', arguments: {} }, {}, limited);
    const uri = 'onair://livestreams/status';
    const read = await answerTo('resources/read', { uri }, {}, limited);
    assert.deepEqual(
      [...codes, over.result.structuredContent.code, read.error.data.code],
      [undefined, undefined, 'rate_limited', 'rate_limited'],
    );
    await limited.close();
    await app.close();
  });
});
