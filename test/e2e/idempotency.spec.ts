/** One Idempotency-Key by three doors of the real program, and across its restart. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';

const CHANNEL = { name: 'Once', type: 'Stream', settings: { url: 'https://example.org/a.m3u8' } };
const KEY = 'one-key-for-all-doors';

describe('an Idempotency-Key', () => {
  let service: Service;
  before(async () => void (service = await startService()));
  after(() => service?.dispose());

  async function byCli(words: string[]): Promise<{ code: number; out: string; err: string }> {
    return run(['call', '--idempotency-key', KEY, ...words]);
  }

  async function run(words: string[]): Promise<{ code: number; out: string; err: string }> {
    const env = { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN };
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, ...words], { env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  }

  it('an Idempotency-Key gives a retry by the CLI, REST and MCP the first answer, before and after a restart', async () => {
    const words = ['addChannel', JSON.stringify(CHANNEL)];
    const first = await byCli(words);
    assert.equal(first.code, 0, first.err);
    const again = await byCli(words);
    assert.deepEqual([again.code, again.out], [0, first.out]);
    const last = await run(['call', ...words, '--idempotency-key', KEY]);
    assert.deepEqual([last.code, last.out], [0, first.out], 'the option may stand last');

    await service.restart();
    const rest = await service.rest('POST', '/channels', CHANNEL, { 'Idempotency-Key': KEY });
    assert.deepEqual([rest.status, rest.headers.get('idempotency-replayed')], [201, 'true']);
    assert.deepEqual(rest.body, JSON.parse(first.out));

    const client = new Client({ name: 'test', version: '0' });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
    const mcp = await client.callTool({ name: 'addChannel', arguments: CHANNEL, _meta: { idempotencyKey: KEY } });
    await client.close();
    assert.equal(mcp._meta?.['idempotencyReplayed'], true);
    assert.deepEqual(mcp.structuredContent, rest.body);
    assert.equal((await service.rest('GET', '/channels')).body.pagination.total, 1);
  });

  it('an Idempotency-Key gives the refusal of the first call too', async () => {
    const path = '/channels/987654';
    const first = await service.rest('DELETE', path, undefined, { 'Idempotency-Key': KEY });
    await service.restart();
    const again = await service.rest('DELETE', path, undefined, { 'Idempotency-Key': KEY });
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [404, 'true']);
    assert.deepEqual({ ...again.body, request_id: '' }, { ...first.body, request_id: '' });
  });
});
