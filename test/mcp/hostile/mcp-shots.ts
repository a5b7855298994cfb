/** POSTs to the MCP door: calls with wrong arguments on both lanes, frames that are none, batches, headers, prompts and resources. */
import { isMutating } from '../../../toolkit/access.ts';
import type { Tool } from '../../../toolkit/tool.ts';
import { hostileValue, type ArgumentMaker } from './arguments.ts';
import { FRAMES, HEADERS, METAS, nested, PARAMS, QUERIES, URIS } from './mcp-oddities.ts';
import type { Random } from './random.ts';
import type { Shot } from './sender.ts';

export interface ToolShot extends Shot {
  /** The operation that it would call, where an answer without an error means that it has. */
  tool?: Tool | undefined;
}

interface McpShots {
  random: Random;
  tools: readonly Tool[];
  args: ArgumentMaker;
  token: string;
}

const BOTH = 'application/json, text/event-stream';
const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const JSONRPC = '2.0';
const MB = 1024 * 1024;

export function createMcpShots({ random, tools, args, token }: McpShots): { next(): ToolShot } {
  let lastId = 10;

  function post(kind: string, body: string, more: Partial<ToolShot> = {}): ToolShot {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: BOTH,
      ...more.headers,
    };
    return { kind, method: 'POST', path: '/mcp', body, ...more, headers };
  }

  function request(kind: string, method: string, params: unknown, more: Partial<ToolShot> = {}): ToolShot {
    lastId += 1;
    const isModern = random.chance(0.4) && typeof params === 'object' && params !== null && !Array.isArray(params);
    if (!isModern) return post(kind, JSON.stringify({ jsonrpc: JSONRPC, id: lastId, method, params }), more);
    const { _meta: meta, name, uri } = params as Record<string, any>;
    const report = { ...params, _meta: { ...ABOUT, ...meta } };
    const named: unknown = name ?? uri;
    const isSendable = typeof named === 'string' && /^[\x21-\x7e]{1,200}$/u.test(named);
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(isSendable && { 'mcp-name': named }),
      ...more.headers,
    };
    return post(`${kind}, 2026`, JSON.stringify({ jsonrpc: JSONRPC, id: lastId, method, params: report }), {
      ...more,
      headers,
    });
  }

  function wrongCall(): ToolShot {
    const tool = random.pick(tools);
    const wanted = args.hostile(tool);
    const way = random.below(10);
    const meta = random.chance(0.08)
      ? { _meta: random.pick(METAS) }
      : random.chance(0.1)
        ? { _meta: { progressToken: lastId } }
        : {};
    if (way < 5) return request('a call', 'tools/call', { name: tool.name, arguments: wanted, ...meta }, { tool });
    const inner = way === 9 ? JSON.stringify(wanted) : wanted;
    return request(
      'call_tool',
      'tools/call',
      { name: 'call_tool', arguments: { operationId: tool.name, arguments: inner }, ...meta },
      { tool },
    );
  }

  function readMessage(): unknown {
    lastId += 1;
    const tool = random.pick(tools.filter((known) => !isMutating(known)));
    return {
      jsonrpc: JSONRPC,
      id: lastId,
      method: 'tools/call',
      params: { name: tool.name, arguments: args.hostile(tool) },
    };
  }

  function batch(): ToolShot {
    const size = random.pick([2, 3, 10, 100, 101, 1000]);
    const kind = `a batch of ${size}`;
    const messages = Array.from({ length: size }, () =>
      size > 10 ? { jsonrpc: JSONRPC, id: (lastId += 1), method: 'ping' } : readMessage(),
    );
    const way = random.below(6);
    if (way === 0)
      return post(`${kind}, one id`, JSON.stringify(messages.map((message) => ({ ...(message as object), id: 1 }))));
    if (way === 1) return post(`${kind}, nested`, JSON.stringify([messages]));
    if (way === 2)
      return post(`${kind}, mixed`, JSON.stringify([...messages, random.pick([null, 5, [], 'x', { jsonrpc: '1.0' }])]));
    if (way === 3)
      return post(
        `${kind}, notifications`,
        JSON.stringify(messages.map((message) => ({ ...(message as object), id: undefined }))),
      );
    if (way === 4)
      return post(`${kind}, with answers`, JSON.stringify([...messages, { jsonrpc: JSONRPC, id: 5, result: {} }]));
    return post(kind, JSON.stringify(messages));
  }

  function bulky(): ToolShot {
    const call = (inner: string, name = 'addChannel'): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${inner}}}`;
    const many = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, at])));
    return random.pick<() => ToolShot>([
      () => post('arguments 10,000 deep', call(`{"a":${nested(10_000)}}`)),
      () => post('a million brackets', nested(500_000)),
      () =>
        post(
          '_meta 10,000 deep',
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getAllChannels","_meta":{"a":${nested(10_000)}}}}`,
        ),
      () => post('19,000 fields', call(many(19_000))),
      () => post('300,000 fields', call(many(300_000))),
      () =>
        post('a million elements', call(`{"name":"x","devices":[${'"a",'.repeat(999_999)}"a"]}`, 'createDeviceGroup')),
      () =>
        post(
          '15,000 wrong elements',
          call(`{"name":"x","devices":[${'"a",'.repeat(14_999)}"a"]}`, 'createDeviceGroup'),
        ),
      () => post('a field name of 3 MB', call(`{"${'k'.repeat(3 * MB)}":1}`)),
      () => post('a text at the limit', call(`{"name":"${'x'.repeat(12 * MB - 200)}"}`)),
      () => post('a text over the limit', call(`{"name":"${'x'.repeat(12 * MB)}"}`)),
      () => post('20 MB', call(`{"name":"${'x'.repeat(20 * MB)}"}`)),
      () => post('a search for 8 MB', call(`{"query":"${'x'.repeat(8 * MB)}"}`, 'search_tools')),
      () => post('a tool name of 3 MB', call('{}', 'x'.repeat(3 * MB))),
    ])();
  }

  return {
    next() {
      const way = random.below(1000);
      if (way < 560) return wrongCall();
      if (way < 640)
        return post(
          'a frame',
          random.pick(FRAMES),
          random.chance(0.3) ? { headers: { 'mcp-protocol-version': '2026-07-28' } } : {},
        );
      if (way < 700) return request('params', 'tools/call', random.pick(PARAMS));
      if (way < 740)
        return request('a search', 'tools/call', {
          name: 'search_tools',
          arguments: { query: random.pick(QUERIES), ...(random.chance(0.2) && { limit: hostileValue(random) }) },
        });
      if (way < 790) return request('a resource', 'resources/read', { uri: random.pick(URIS) });
      if (way < 830)
        return request('a prompt', 'prompts/get', {
          name: random.pick(['go_live', 'check_the_air', '../x', '__proto__', 5]),
          arguments: random.pick([undefined, {}, [], { livestream: hostileValue(random) }, { week: '../../x' }]),
        });
      if (way < 860) return batch();
      if (way < 965)
        return post('a header', JSON.stringify({ jsonrpc: JSONRPC, id: 1, method: 'ping' }), {
          headers: random.pick(HEADERS),
        });
      if (way < 980)
        return post('a method', '{}', {
          method: random.pick(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND', 'QUERY', 'TRACE']),
        });
      if (way < 994)
        return post('a token elsewhere', '{}', {
          path: `/mcp?token=${token}&access_token=${token}`,
          headers: { authorization: '', cookie: `token=${token}; onair_session=${token}` },
        });
      return bulky();
    },
  };
}
