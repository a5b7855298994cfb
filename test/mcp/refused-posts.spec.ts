/** POSTs that are refused as a whole: what they would have called stands in the audit all the same. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { TOKENS } from '../app/users.ts';

const REVISION = '2026-07-28';
const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (name: unknown, args: unknown, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const inner = (operationId: unknown): object => call('call_tool', { operationId, arguments: {} });
const modern = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'addChannel', arguments: {}, _meta: ABOUT },
};
const DEEP = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"addChannel","arguments":${'['.repeat(200)}${']'.repeat(200)}}}`;
const MANY = JSON.stringify(
  call('call_tool', { operationId: 'addChannel', arguments: { list: Array(30_000).fill(1) } }),
);

interface Refused {
  body: unknown;
  headers?: Record<string, string>;
  code?: string;
  audited: string[];
}

const CASES: Record<string, Refused> = {
  'arguments that are a number': { body: call('addChannel', 5), audited: ['addChannel'] },
  'arguments that are a list, of a tool that there is not': { body: call('addChannels', []), audited: ['addChannels'] },
  'arguments of call_tool that are a text': { body: call('call_tool', '{}'), audited: ['call_tool'] },
  'a name that is a number': { body: call(5, {}), audited: ['(unknown)'] },
  'a name of 2,000 letters': { body: call('x'.repeat(2000), {}), audited: ['x'.repeat(100)] },
  'a read': { body: call('getAllChannels', 5), audited: [] },
  'a wrong progress token': {
    body: { ...call('addChannel', {}), params: { name: 'addChannel', _meta: { progressToken: {} } } },
    audited: ['addChannel'],
  },
  'a batch with one that is wrong': {
    body: [call('addChannel', {}), call('deleteChannel', 5, 2), inner('addEncoding'), call('getAllChannels', {}, 4)],
    audited: ['addChannel', 'addEncoding', 'deleteChannel'],
  },
  'arguments too deep to be read': { body: DEEP, audited: ['addChannel'] },
  'arguments with too much in them': { body: MANY, audited: ['addChannel'] },
  'a call that is cut off': {
    body: JSON.stringify(call('addChannel', { name: 'x' })).slice(0, -9),
    audited: ['addChannel'],
  },
  'what names no tool': { body: '{"jsonrpc":', audited: ['(unknown)'] },
  'what is no call': { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, audited: [] },
  'a page of another site': {
    body: call('addChannel', {}),
    headers: { origin: 'http://evil.example' },
    code: 'forbidden',
    audited: ['(unknown)'],
  },
  'an unknown profile': {
    body: call('addChannel', {}),
    headers: { 'x-onair-profile': 'nobody' },
    audited: ['addChannel'],
  },
  'an answer that is not wanted': {
    body: call('addChannel', {}),
    headers: { accept: 'text/html' },
    code: 'unsupported_media',
    audited: ['addChannel'],
  },
  'a revision that is not spoken': {
    body: inner('addChannel'),
    headers: { 'mcp-protocol-version': '2023-01-01' },
    audited: ['addChannel'],
  },
  'a header of the newer generation that names another tool': {
    body: modern,
    headers: { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': 'getAllChannels' },
    audited: ['addChannel'],
  },
};

describe('a POST that is refused as a whole', () => {
  let api: McpApi;
  beforeEach(async () => void (api = await startMcpApi()));
  afterEach(() => api.close());

  for (const [what, { body, headers, code = 'invalid_input', audited }] of Object.entries(CASES)) {
    it(`a POST that is refused as a whole (${what}) is audited as: ${audited.join(', ').slice(0, 40) || 'no entry'}`, async () => {
      const authorization = `Bearer ${TOKENS.operator}`;
      const response = await api.post(body, { authorization, 'x-request-id': 'p-1', ...headers });
      const { error } = (await response.json()) as any;
      assert.equal(error?.data?.code, code, JSON.stringify(error));
      const { rows } = await api.store.find('audit', {});
      assert.deepEqual(rows.map(({ operation }) => operation).sort(), audited);
      for (const { outcome, user, token_kid, via, request_id } of rows)
        assert.deepEqual([outcome, user, token_kid, via, request_id], [code, 'operator', 'operator', 'mcp', 'p-1']);
    });
  }
});
