/** The bound of the replies to one batch. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MAX_BATCH_BYTES } from '../../mcp/protocol/open-post.ts';
import { type McpApi, startMcpApi } from '../app/mcp-api.ts';

/** Four of them, each in its frame, leave less than a reply needs. */
const DOCUMENT = 'x'.repeat(MAX_BATCH_BYTES / 4 - 200);

let api: McpApi;
before(async () => {
  api = await startMcpApi('full', { openApi: () => DOCUMENT });
});
after(() => api.close());

interface Reply {
  id: number;
  result?: { contents?: { text: string }[]; isError?: boolean };
  error?: { code: number; message: string; data: { code: string; max_bytes: number; detail: string } };
}

const read = (id: number, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'resources/read',
  params: { uri: 'onair://openapi.json', ...params },
});
const bodies = { type: 'Stream', settings: { url: 'http://127.0.0.1:9/live.m3u8' } };
const add = (id: number, name: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'addChannel', arguments: { name, ...bodies } },
});

describe('the replies to a batch', () => {
  it('the replies to a batch have a bound in bytes; a call beyond it is refused alone, and asked alone it is answered', async () => {
    const response = await api.post(Array.from({ length: 100 }, (_, id) => read(id)));
    assert.equal(response.status, 200);
    const text = await response.text();
    assert.ok(Buffer.byteLength(text) < MAX_BATCH_BYTES + 100_000, `${Buffer.byteLength(text)} bytes`);
    const replies = JSON.parse(text) as Reply[];
    assert.deepEqual(
      replies.map(({ id }) => id),
      Array.from({ length: 100 }, (_, id) => id),
    );
    assert.equal(replies.filter(({ result }) => result?.contents?.[0]?.text === DOCUMENT).length, 4);
    const refused = replies.slice(4);
    for (const { error } of refused) {
      assert.equal(error?.data.code, 'too_large');
      assert.equal(error.data.max_bytes, MAX_BATCH_BYTES);
      assert.match(error.message, /no room for this one\. Ask alone/u);
    }
    const alone = (await (await api.post(read(7))).json()) as Reply;
    assert.equal(alone.result?.contents?.[0]?.text, DOCUMENT);
  });

  it('the reply to a call in a batch says that the call was made when there is no room for its answer', async () => {
    const batch = [read(0), read(1), read(2), read(3), add(4, 'beyond'), { jsonrpc: '2.0', id: 5, method: 'ping' }];
    const replies = (await (await api.post(batch)).json()) as Reply[];
    assert.match(replies[4]?.error?.message ?? '', /The call itself was made/u);
    const { rows } = await api.store.find('channels', {});
    assert.ok(rows.some(({ name }) => name === 'beyond'));
    // What is small still has room behind what had none.
    assert.deepEqual(replies[5]?.result, {});
  });

  it('the replies to a batch are bounded in bytes as a stream, too', async () => {
    const batch = Array.from({ length: 20 }, (_, id) => read(id, { _meta: { progressToken: id } }));
    const text = await (await api.post(batch)).text();
    const replies = text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as Reply);
    assert.equal(replies.length, 20);
    assert.equal(replies.filter(({ result }) => result !== undefined).length, 4);
    assert.equal(replies.filter(({ error }) => error?.data.code === 'too_large').length, 16);
  });

  it('the reply to a batch of one request is bounded by nothing but itself', async () => {
    const large = await startMcpApi('full', { openApi: () => 'y'.repeat(MAX_BATCH_BYTES + 1) });
    try {
      const [reply] = (await (await large.post([read(1)])).json().then((body) => [body].flat())) as Reply[];
      assert.equal(reply?.result?.contents?.[0]?.text.length, MAX_BATCH_BYTES + 1);
    } finally {
      await large.close();
    }
  });
});
