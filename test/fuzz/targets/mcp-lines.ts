/** Lines of `onair mcp`: each request is answered once, by one line of JSON, whatever comes before and behind it. */
import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { openLineCalls } from '../../../mcp/protocol/line-calls.ts';
import { idOfLongLine } from '../../../mcp/protocol/long-line.ts';
import { openWire } from '../../../mcp/protocol/wire.ts';
import { pieces, type FuzzTarget } from '../target.ts';

const lines = (...messages: unknown[]): string => messages.map((one) => `${JSON.stringify(one)}\n`).join('');
const request = (id: unknown, method: string, params?: unknown): unknown => ({ jsonrpc: '2.0', id, method, params });

export const target: FuzzTarget = {
  seeds: [
    `a${lines(request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }))}`,
    `b${lines(request('x', 'tools/call', { name: 'getAllLivestreams', arguments: {}, _meta: { progressToken: 7 } }))}`,
    `c${lines(request(2, 'tools/list'), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })}`,
    `d${lines([request(3, 'ping')], { jsonrpc: '1.0' }, { jsonrpc: '2.0', id: 4, result: {} })}\n\r\n`,
    '{"id":17,"jsonrpc":"2.0","method":"x","params":{"a":[[[[1]]]]},"id":"\\u00e9"}',
  ].map((text) => Buffer.from(text)),
  async run(bytes) {
    const text = bytes.toString();
    const id = idOfLongLine(text.slice(0, 1024), text.slice(-1024));
    assert.ok(id === undefined || typeof id === 'string' || typeof id === 'number');
    const input = new PassThrough();
    let answers = '';
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        answers += chunk.toString();
        done();
      },
    });
    let received = 0;
    const wire = openWire({
      input,
      output,
      requestId: 'fuzz',
      onNoise: () => undefined,
      onRefused: (_message, error) => error,
      receive(message) {
        received += 1;
        calls.receive(message);
      },
    });
    const calls = openLineCalls(async ({ id }) => JSON.stringify({ jsonrpc: '2.0', id, result: {} }), wire);
    for (const part of pieces(bytes.subarray(1), bytes[0] ?? 0)) input.write(part);
    input.end();
    await wire.ended;
    await wire.settled();
    const given = answers.split('\n').slice(0, -1);
    // A batch is answered by a list.
    for (const one of given.flatMap((line) => JSON.parse(line) as { jsonrpc: string }))
      assert.equal(one.jsonrpc, '2.0');
    const sent = bytes.subarray(1).reduce((sum, byte) => sum + (byte === 0x0a ? 1 : 0), 0);
    assert.ok(received <= sent && given.length <= sent, `${given.length} answers to ${sent} lines`);
  },
};
