/** A connected caller of SRT: whatever it sends, what comes out is its media, in order, and what is kept is bounded. */
import assert from 'node:assert/strict';
import { liveRequestOf } from '../../../device/media/srt/srt-handshake.ts';
import { SrtReceiver } from '../../../device/media/srt/srt-receiver.ts';
import { conclusionOf } from '../../device/media/srt-link.ts';
import type { FuzzTarget } from '../target.ts';

const FIRST = 0x7fff_fff0;
const MAX_DATAGRAM = 1456;

const datagram = (...hex: string[]): Buffer => {
  const bytes = Buffer.from(hex.join('').replaceAll(' ', ''), 'hex');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

export const target: FuzzTarget = {
  // Each datagram stands behind its length.
  seeds: [
    Buffer.concat([
      datagram('7ffffff0 c0000001 000003e8 00000077', '47'.repeat(20)),
      datagram('7ffffff2 c0000003 00000bb8 00000077', '47'.repeat(20)),
      datagram('80060000 00000001 00000bb8 00000077 00000000'),
      datagram('7ffffff1 c4000002 000007d0 00000077', '47'.repeat(20)),
    ]),
    Buffer.concat([
      datagram('7ffffff4 c0000005 000003e8 00000077', '47'.repeat(20)),
      datagram('80070000 00000001 000003e8 00000077 7ffffff0 7ffffff3'),
      datagram('80010000 00000000 000f4240 00000077 00000000'),
      datagram('80050000 00000000 000f4240 00000077 00000000'),
    ]),
    // A range that begins far ahead and ends behind.
    datagram('80070000 00000001 000003e8 00000077 1ffffff0 5fffffff'),
  ],
  run(bytes) {
    let [nowMs, given, taken] = [1000, 0, 0];
    const receiver = new SrtReceiver(liveRequestOf(conclusionOf(FIRST, 0), 100)!, nowMs, {
      send: (sent) => assert.ok(sent.length >= 16 && sent.length <= 16 + MAX_DATAGRAM, `${sent.length} bytes are sent`),
      onMedia: (media) => void (given += media.length),
      mayWait: () => false,
    });
    for (let at = 0; at + 2 <= bytes.length;) {
      const next = Buffer.from(bytes.subarray(at + 2, at + 2 + bytes.readUInt16BE(at)));
      at += 2 + bytes.readUInt16BE(at);
      taken += next.length;
      receiver.take(next, (nowMs += 7));
      receiver.turn(nowMs);
    }
    receiver.finish();
    assert.ok(given <= taken, `${given} bytes of ${taken} come out`);
  },
};
