/** The header Idempotency-Key on a POST that carries one call: the key that REST takes, for clients that send it over each api. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';

const REVISION = '2026-07-28';
const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const CHANNEL = { name: 'Cam', type: 'Stream', settings: { url: 'http://a.example/' } };

interface Sent {
  /** As the header. */
  key?: string;
  meta?: object;
  args?: object;
  headers?: Record<string, string>;
}

let api: McpApi;
beforeEach(async () => void (api = await startMcpApi()));
afterEach(() => api.close());

const message = ({ args = CHANNEL, meta }: Sent, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'addChannel', arguments: args, ...(meta !== undefined && { _meta: meta }) },
});
const post = async (sent: Sent, body: unknown = message(sent)): Promise<any> =>
  (await api.post(body, { ...(sent.key !== undefined && { 'idempotency-key': sent.key }), ...sent.headers })).json();
const channels = async (): Promise<number> => (await api.store.find('channels', {})).total;

describe('an Idempotency-Key in the header of a POST', () => {
  for (const [generation, more] of [
    ['the older generation', {}],
    [
      'the newer generation',
      {
        meta: ABOUT,
        headers: { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': 'addChannel' },
      },
    ],
  ] as const) {
    it(`an Idempotency-Key in the header of a POST makes the call once, in ${generation}`, async () => {
      const [first, again] = [await post({ key: 'k', ...more }), await post({ key: 'k', ...more })];
      assert.deepEqual(again.result.structuredContent, first.result.structuredContent);
      assert.equal(first.result._meta?.idempotencyReplayed, undefined);
      assert.equal(again.result._meta.idempotencyReplayed, true);
      assert.equal(await channels(), 1);
      const other = await post({ key: 'k', ...more, args: { ...CHANNEL, name: 'Other' } });
      assert.equal(other.result.structuredContent.code, 'idempotency_mismatch');
    });
  }

  it('an Idempotency-Key in the header is the same key as that of _meta, and may stand beside it', async () => {
    await post({ meta: { idempotencyKey: 'k' } });
    for (const sent of [{ key: 'k' }, { key: 'k', meta: { idempotencyKey: 'k' } }])
      assert.equal((await post(sent)).result._meta.idempotencyReplayed, true, JSON.stringify(sent));
    assert.equal(await channels(), 1);
  });

  it('an Idempotency-Key in the header is refused beside another one, and nothing is done', async () => {
    const { result } = await post({ key: 'a', meta: { idempotencyKey: 'b' } });
    const { code, errors } = result.structuredContent;
    assert.deepEqual(
      [code, errors[0].field, errors[0].code],
      ['invalid_input', '_meta.idempotencyKey', 'key_mismatch'],
    );
    assert.equal(await channels(), 0);
    const { rows } = await api.store.find('audit', {});
    assert.deepEqual(
      rows.map(({ operation, outcome }) => [operation, outcome]),
      [['addChannel', 'invalid_input']],
    );
  });

  it('an Idempotency-Key in the header has the bounds that it has over REST', async () => {
    for (const key of ['', 'x'.repeat(256)]) {
      const { code, errors } = (await post({ key })).result.structuredContent;
      assert.deepEqual([code, errors[0].field], ['invalid_input', 'Idempotency-Key'], key);
    }
    assert.equal(await channels(), 0);
  });

  it('an Idempotency-Key in the header is refused for several calls, each of which has its own', async () => {
    const { error } = await post({ key: 'k' }, [message({}), message({ args: { ...CHANNEL, name: 'Other' } }, 2)]);
    assert.deepEqual([error.data.code, error.data.errors[0].field], ['invalid_input', 'Idempotency-Key']);
    assert.match(error.message, /_meta\.idempotencyKey/u);
    assert.equal(await channels(), 0);
  });

  it('an Idempotency-Key in the header is that of the one call in a batch, and means nothing where there is none', async () => {
    const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
    for (let times = 0; times < 2; times += 1) await post({ key: 'k' }, [ping, message({})]);
    assert.equal(await channels(), 1);
    assert.deepEqual((await post({ key: 'k' }, ping)).result, {});
  });
});
