/** The POSTs of all clients of the older generation go through one server object: none of them meets what is another's. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedBroadcast } from '../helpers/seed.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';
import { TOKENS, type TokenOwner } from '../app/users.ts';
import { letPass } from '../helpers/pass.ts';

let api: McpApi;
let livestreamId: number;
before(async () => {
  api = await startMcpApi();
  livestreamId = await seedBroadcast(api.store);
});
after(() => api.close());

const as = (who: TokenOwner): Record<string, string> => ({ authorization: `Bearer ${TOKENS[who]}` });
const call = (id: number | string, name: string, args: object = {}, meta?: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
});
const read = (id: number | string): object => call(id, 'getLivestreamById', { livestreamId });
const answerTo = async (...sent: Parameters<McpApi['post']>): Promise<any> => (await api.post(...sent)).json();

describe('POSTs that share a server', () => {
  it('POSTs that share a server get their own answers under their own ids, whatever others send at once', async () => {
    const ask = async (index: number): Promise<void> => {
      const who = index % 2 === 0 ? 'admin' : 'operator';
      const id = index % 3 === 0 ? 1 : `request ${index}`;
      const query = `livestream ${index}`;
      const answer = await answerTo(call(id, 'search_tools', { query, detail: 'names' }), as(who));
      assert.equal(answer.id, id);
      assert.equal(answer.result.structuredContent.query, query);
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => ask(index)));
  });

  it('POSTs that share a server are answered with the rights of the one who sent them', async () => {
    const codes = await Promise.all(
      (['admin', 'operator', 'admin', 'operator'] as const).map(
        async (who) => (await answerTo(call(1, 'getAllUsers'), as(who))).result.structuredContent.code as unknown,
      ),
    );
    assert.deepEqual(codes, [undefined, 'forbidden', undefined, 'forbidden']);
  });

  it('POSTs that share a server are answered in the order of the requests, where two have one id too', async () => {
    const slow = call(7, 'start_livestream', { livestream: 'Show', dry_run: true });
    const batch = await answerTo([slow, read(7), read('b'), { jsonrpc: '2.0', id: 8, method: 'ping' }]);
    assert.deepEqual(
      batch.map(({ id }: { id: unknown }) => id),
      [7, 7, 'b', 8],
    );
    assert.equal(batch[1].result.structuredContent.data.id, livestreamId);
    assert.deepEqual(batch[3].result, {});
    assert.equal((await answerTo([read(3)])).id, 3);
  });

  it('a POST may contain responses and progress notifications that belong to no request', async () => {
    const strays = [
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 0, progress: 1 } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} },
    ];
    for (const stray of strays) assert.equal((await api.post(stray)).status, 202, JSON.stringify(stray));
    assert.equal((await answerTo(read(1))).id, 1);
  });

  it('a POST becomes one stream when one of its requests wants progress, and the stream ends with the last reply', async () => {
    const args = { livestream: 'Show', wait_seconds: 1 };
    const response = await api.post([call(1, 'start_livestream', args, { progressToken: 'p' }), read(2)]);
    const messages = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as { id?: number; params?: { progressToken: string } });
    assert.deepEqual(
      messages.flatMap(({ id }) => id ?? []).sort((a, b) => a - b),
      [1, 2],
    );
    assert.ok(
      messages.some(({ params }) => params?.progressToken === 'p'),
      'progress',
    );
    await answerTo(call(3, 'stop_livestream', { livestream: 'Show' }));
  });

  it('POSTs that share a server are carried out when their sender has gone in the middle of the stream', async () => {
    const response = await api.post(
      call(1, 'start_livestream', { livestream: 'Show', wait_seconds: 2 }, { progressToken: 'p' }),
    );
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await letPass(2500);
    assert.equal((await api.store.get('runs', livestreamId))?.row.desired, 'on');
    const stopped = await answerTo(call(2, 'stop_livestream', { livestream: 'Show' }));
    assert.equal(stopped.result.structuredContent.status, 0);
  });

  it('a POST with wrong headers or a wrong body is refused by a shared server', async () => {
    const about = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } };
    const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params: about };
    const wrong: [sent: Parameters<McpApi['post']>, status: number, rpcCode: number][] = [
      [[read(1), { accept: 'application/json' }], 406, -32000],
      [[read(1), { 'content-type': 'text/plain; a=application/json' }], 415, -32000],
      [[read(1), { 'mcp-protocol-version': '2001-01-01' }], 400, -32000],
      [[[greeting, read(2)]], 400, -32600],
      [[{ ...read(1), more: true }], 400, -32700],
    ];
    for (const [sent, status, rpcCode] of wrong) {
      const response = await api.post(...sent);
      const { error } = (await response.json()) as any;
      const shown = JSON.stringify([sent, error]);
      assert.deepEqual([response.status, error.data.status, error.code], [status, status, rpcCode], shown);
      assert.ok((response.headers.get('x-request-id') ?? '') !== '', shown);
    }
  });
});
