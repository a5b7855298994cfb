/** Texts of strangers in ID3 tags and event messages: refused, or read back as they were. */
import assert from 'node:assert/strict';
import { id3Event } from '../../../device/media/fmp4/emsg.ts';
import { boxesIn } from '../../../device/media/fmp4/fmp4-box.ts';
import { id3Tag } from '../../../device/media/mpeg-ts/id3.ts';
import { PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PesJoiner } from '../../../device/media/mpeg-ts/pes-joiner.ts';
import { id3Packets } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { refusing, type FuzzTarget } from '../target.ts';

export const target: FuzzTarget = {
  seeds: [Buffer.from('\x05title\x00a song'), Buffer.from('\x00'), Buffer.from('\x03com.example\x04value')],
  run(bytes) {
    const cut = bytes[0] ?? 0;
    const [description, value] = [bytes.toString('utf8', 1, cut), bytes.toString('utf8', cut)];
    const tag = refusing([RangeError], () =>
      id3Tag([
        { id: 'TXXX', description, value },
        { id: 'PRIV', owner: description, data: bytes },
      ]),
    );
    if (tag === undefined) return;
    assert.ok(tag.includes(Buffer.from(`${description}\0${value}\0`)));
    const [event] = boxesIn(id3Event(tag, bytes.length * 1e6));
    assert.ok(event!.bytes.subarray(-tag.length).equals(tag));
    const packets = refusing([RangeError], () => id3Packets(0x1f1, tag, bytes.length, cut));
    if (packets === undefined) return;
    assert.equal(packets.length % PACKET_BYTES, 0);
    const units = new PesJoiner().push({ bytes: packets, starts: true, key: true, pts: bytes.length });
    assert.ok(units[0]!.data.equals(tag));
  },
};
