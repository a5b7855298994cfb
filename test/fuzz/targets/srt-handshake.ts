/** The handshake of an SRT caller: datagrams of strangers that are read, answered and passed on before anybody is known. */
import assert from 'node:assert/strict';
import {
  acceptance,
  inductionAnswer,
  isShutdown,
  liveRequestOf,
  readHandshake,
  refusalAnswer,
  SRT_REFUSALS,
} from '../../../device/media/srt/srt-handshake.ts';
import type { FuzzTarget } from '../target.ts';

const HANDSHAKE_BYTES = 64;
const MAX_STREAM_ID = 512;
const handshake = (fields: string, ...extensions: string[]): Buffer =>
  Buffer.from(`8000000000000000000186a000000000${fields}0100007f000000000000000000000000${extensions.join('')}`, 'hex');

export const target: FuzzTarget = {
  seeds: [
    handshake('000000040000000200001234000005dc00002000000000010000002a00000000'),
    handshake(
      '000000050000000700001234000005dc00002000ffffffff0000002acafe0001',
      '0001000300010501000000bf00780078',
      '000300021220290100000000',
      '000500026475747300316f69',
    ),
    handshake('000000050000000000001234000005dc00002000000009690000002acafe0001'),
    Buffer.from('8005000000000000000186a00000002a', 'hex'),
  ],
  run(bytes) {
    const before = Buffer.from(bytes);
    const read = readHandshake(bytes);
    if (read !== undefined) {
      assert.ok(Buffer.byteLength(read.streamId) <= 3 * MAX_STREAM_ID, 'the stream id is bounded');
      assert.ok(!isShutdown(bytes));
      const answer = inductionAnswer(bytes, 7, 9, 128);
      const refusal = refusalAnswer(bytes, SRT_REFUSALS.busy);
      // An answer that is longer than its question would serve to flood somebody whose address is forged.
      for (const reply of [answer, refusal]) assert.equal(reply.length, HANDSHAKE_BYTES);
      assert.deepEqual([readHandshake(answer)?.kind, readHandshake(answer)?.cookie], ['induction', 7]);
      assert.equal(readHandshake(refusal)?.reason, SRT_REFUSALS.busy);
      const request = liveRequestOf(bytes, 120);
      if (read.kind === 'conclusion' && request !== undefined) {
        const accepted = acceptance(bytes, request, { socketId: 9, window: 8192 });
        assert.ok(accepted.length <= bytes.length);
        assert.deepEqual([readHandshake(accepted)?.kind, readHandshake(accepted)?.socketId], ['conclusion', 9]);
      }
    }
    assert.deepEqual(bytes, before);
  },
};
