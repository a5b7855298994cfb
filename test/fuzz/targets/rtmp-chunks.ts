/** The chunk stream: the same messages however the bytes are cut, and no more of them than have come. */
import assert from 'node:assert/strict';
import { ChunkReader, writeChunks, type RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';

const media = (type: number, size: number): Buffer =>
  writeChunks({ type, stream: 1, body: Buffer.alloc(size, type) }, 4, 128);

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0]), media(9, 300), media(8, 20)]),
    // A larger chunk size, a header of seven bytes, one of three, an extended time, an abort.
    Buffer.from('0002000000000004010000000000001000', 'hex'),
    Buffer.from('0104000000000002090100000017004400000100000208c40000018888', 'hex'),
    Buffer.from('0204ffffff00000108010000000100000055c40100000066', 'hex'),
    Buffer.concat([
      Buffer.from([3]),
      media(9, 200).subarray(0, 140),
      Buffer.from('020000000000040200000000000000040400000000000109010000000a', 'hex'),
    ]),
  ],
  run(bytes) {
    const rest = bytes.subarray(1);
    const whole = messagesOf([rest]);
    const cut = messagesOf(pieces(rest, bytes[0] ?? 0));
    assert.deepEqual(cut, whole);
    assert.ok(whole.reduce((sum, { body }) => sum + body.length, 0) <= rest.length);
  },
};

function messagesOf(parts: readonly Buffer[]): RtmpMessage[] {
  const messages: RtmpMessage[] = [];
  // The room around a body is filled by whoever makes a tag of it.
  const reader = new ChunkReader(({ frame: _, ...message }) => messages.push(message));
  reader.allowMedia();
  refusing([RangeError], () => parts.forEach((part) => reader.push(Buffer.from(part))));
  return messages;
}
