import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createRateLimit } from '../../toolkit/rate-limit.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { type McpApi, startMcpApi, structured } from '../app/mcp-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const CALLS = 10;

interface Message {
  id: number;
  result: { isError?: boolean; structuredContent: Record<string, unknown> };
}

describe('the rate limit at the MCP api', () => {
  let nowMs = 0;
  let app: TestApp<Clock>;
  let api: McpApi;
  beforeEach(async () => {
    nowMs = 0;
    app = await startTestApp({
      clock: systemClock,
      rateLimit: createRateLimit(CALLS, () => nowMs, { warn: () => undefined }),
    });
    api = await startMcpApi('full', { app });
  });
  afterEach(async () => {
    await api.close();
    await app.close();
  });

  const message = (id: number, name: string, args: object): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });

  it('the rate limit at the MCP api counts each call of a batch, by whatever tool it is made', async () => {
    const inner = { operationId: 'getAllChannels', arguments: {} };
    const batch = Array.from({ length: CALLS + 6 }, (_, id) => {
      if (id % 3 === 0) return message(id, 'getAllChannels', {});
      return id % 3 === 1 ? message(id, 'call_tool', inner) : message(id, 'search_tools', { query: 'list channels' });
    });
    const answers = (await (await api.post(batch)).json()) as Message[];
    const refused = answers.filter(({ result }) => result.isError === true);
    assert.equal(answers.length, CALLS + 6);
    assert.equal(refused.length, 6);
    for (const { result } of refused) {
      assert.deepEqual(
        [
          result.structuredContent['code'],
          result.structuredContent['status'],
          result.structuredContent['retry_after_seconds'],
        ],
        ['rate_limited', 429, 6],
      );
    }
    assert.deepEqual(new Set(refused.map(({ id }) => id % 3)), new Set([0, 1, 2]));
  });

  it('a call beyond the rate limit is not executed, leaves no audit entry, and lets others and later calls through', async () => {
    const client = await api.client('admin');
    const add = (name: string): Promise<unknown> =>
      client.callTool({
        name: 'addChannel',
        arguments: { name, type: 'Stream', settings: { url: 'http://a.example/' } },
      });
    for (let index = 0; index < CALLS; index += 1) await add(`C${index}`);
    const audited = (await app.store.find('audit', {})).total;
    for (let index = 0; index < 3; index += 1) assert.equal(structured(await add('late'))['code'], 'rate_limited');
    assert.equal(structured(await client.callTool({ name: 'nonsense', arguments: {} }))['code'], 'rate_limited');
    assert.equal((await app.store.find('channels', {})).total, CALLS);
    assert.equal((await app.store.find('audit', {})).total, audited);
    const other = await api.client('operator');
    assert.ok('rows' in structured(await other.callTool({ name: 'getAllChannels', arguments: {} })));
    nowMs += 6000;
    assert.ok('data' in structured(await add('in time')));
  });

  it('the rate limit at the MCP api counts what cannot be read', async () => {
    const unread = { operationId: 'addChannel', arguments: '{' };
    const batch = Array.from({ length: CALLS + 2 }, (_, id) => message(id, 'call_tool', unread));
    const answers = (await (await api.post(batch)).json()) as Message[];
    const codes = answers.map(({ result }) => result.structuredContent['code']);
    assert.deepEqual(
      [codes.filter((code) => code === 'invalid_input').length, codes.filter((code) => code === 'rate_limited').length],
      [CALLS, 2],
    );
    assert.equal((await app.store.find('audit', {})).total, CALLS);
  });
});
