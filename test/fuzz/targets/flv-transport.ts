/** FLV of a pusher, up to the transport stream that is made of it. */
import assert from 'node:assert/strict';
import { PACKET_BYTES, pidOf, readTime, startsUnit, payloadStart } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { FlvTags } from '../../../device/media/rtmp/flv-tags.ts';
import { FlvTransport } from '../../../device/media/units/flv-transport.ts';
import { NotRead } from '../../../device/media/units/track.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';

const HEADER = '464c5601050000000900000000';
const AVC = '1700000000014d401effe1000a674d401e9a660140 7f20010004 68ee3c80'.replaceAll(' ', '');

/** A file of tags: type, milliseconds, body. */
function flv(...tags: [type: number, time: number, hex: string][]): Buffer {
  const parts = tags.map(([type, time, hex]) => {
    const body = Buffer.from(hex, 'hex');
    const head = Buffer.alloc(11);
    head[0] = type;
    head.writeUIntBE(body.length, 1, 3);
    head.writeUIntBE(time & 0xffffff, 4, 3);
    head[7] = time >>> 24;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(11 + body.length);
    return Buffer.concat([head, body, length]);
  });
  return Buffer.concat([Buffer.from(HEADER, 'hex'), ...parts]);
}

const KEY = '1701000000 0000000465888400'.replace(' ', '');
const OTHER = '2701000050 0000000441998400'.replace(' ', '');

export const target: FuzzTarget = {
  seeds: [
    flv([9, 0, AVC], [8, 0, 'af001210'], [9, 0, KEY], [8, 3, 'af01210a1b'], [9, 40, OTHER], [8, 26, 'af01210a1b']),
    flv(
      [9, 0, AVC],
      [9, 5000, KEY],
      [9, 5400, OTHER],
      [8, 5410, '2efffb906400'],
      [9, 100, KEY],
      [9, 4_000_000_000, KEY],
    ),
    flv(
      [9, 0, '906876633101016000000090000000000078f000fcfdf8f800000f03a00001000440010c01'],
      [9, 0, `9168766331000000 00000006260102030405`.replace(' ', '')],
      [9, 40, `a368766331 00000006020102030405`.replace(' ', '')],
    ),
  ],
  run(bytes) {
    for (const rule of [0, 2]) {
      const transport = new FlvTransport(
        { video: 0x100, sounds: [{ pid: 0x101, track: 0, language: 'und' }] },
        () => 900_000,
      );
      const packets: Buffer[] = [];
      let messages = 0;
      const tags = new FlvTags((message) => {
        messages += 1;
        packets.push(...transport.take(message));
      });
      refusing([RangeError, TypeError, NotRead], () => {
        for (const piece of pieces(bytes, rule)) tags.push(piece);
      });
      const ts = Buffer.concat(packets);
      assert.equal(ts.length % PACKET_BYTES, 0);
      // Parameter sets of 4 kB before each keyframe, and packets that are filled up.
      assert.ok(ts.length <= 2 * bytes.length + 5500 * (messages + 1), `${ts.length} bytes of ${bytes.length}`);
      const last = new Map<number, number>();
      for (let at = 0; at < ts.length; at += PACKET_BYTES) {
        assert.equal(ts[at], 0x47);
        const pid = pidOf(ts, at);
        const pes = payloadStart(ts, at);
        if (!startsUnit(ts, at) || (pid !== 0x100 && pid !== 0x101)) continue;
        const dts = readTime(ts, pes + (ts[pes + 7] === 0xc0 ? 14 : 9));
        assert.ok(dts > (last.get(pid) ?? -1), `PID ${pid}: ${dts} behind ${last.get(pid)}`);
        last.set(pid, dts);
      }
    }
  },
};
