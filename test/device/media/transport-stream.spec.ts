import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  elementaryBytes,
  isRandomAccess,
  PACKET_BYTES,
  PacketSplitter,
  pidOf,
  readPts,
  startsUnit,
  Unwrapper,
} from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { crc32Mpeg, parsePat, parsePmt, patPacket, PMT_PID, pmtPackets } from '../../../device/media/mpeg-ts/psi.ts';

/** A packet that starts a keyframe's PES unit with this PTS. */
function keyPacket(pid: number, pts: number): Buffer {
  const packet = Buffer.alloc(PACKET_BYTES, 0xff);
  packet.set([0x47, 0x40 | (pid >> 8), pid & 0xff, 0x30, 1, 0x40]);
  const high = Math.floor(pts / 2 ** 30) & 7;
  const middle = Math.floor(pts / 2 ** 15) & 0x7fff;
  packet.set([0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, 0x21 | (high << 1)], 6);
  packet.writeUInt16BE((middle << 1) | 1, 16);
  packet.writeUInt16BE(((pts & 0x7fff) << 1) | 1, 18);
  packet.set([0xab, 0xcd], 20);
  return packet;
}

test('the CRC is CRC-32/MPEG-2', () => {
  assert.equal(crc32Mpeg(Buffer.from('123456789')), 0x0376e6e7);
});

test('tables that are written can be read, and end in a CRC that leaves nothing', () => {
  const streams = [
    { pid: 0x100, type: 0x1b, descriptors: Buffer.alloc(0) },
    { pid: 0x101, type: 0x06, descriptors: Buffer.from('05044f707573', 'hex') },
  ];
  assert.deepEqual(parsePat(patPacket(3), 0), [PMT_PID]);
  const pmt = pmtPackets(streams, 0x100, 7);
  assert.equal(pmt.length, PACKET_BYTES);
  assert.equal(pidOf(pmt, 0), PMT_PID);
  assert.equal(pmt[3]! & 15, 7);
  assert.deepEqual(parsePmt(pmt, 0), streams);
  pmt[12]! ^= 1;
  assert.equal(parsePmt(pmt, 0), undefined, 'a damaged table is not believed');
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ...streams[1]!, pid: 0x100 + i }));
  const long = pmtPackets(many(40), 0x100, 15);
  assert.deepEqual(
    [0, 1, 2].map((n) => [long[n * PACKET_BYTES + 3]! & 15, startsUnit(long, n * PACKET_BYTES)]),
    [
      [15, true],
      [0, false],
      [1, false],
    ],
  );
  assert.deepEqual(parsePmt(long, 0), many(40), 'a table goes on in the next packets');
  assert.equal(parsePmt(long.subarray(0, 2 * PACKET_BYTES), 0), undefined, 'a part of a table is none');
  assert.throws(() => pmtPackets(many(120), 0x100, 0), RangeError);
});

test('a PES header gives its time, 33 bits wide', () => {
  for (const pts of [0, 900_000, 2 ** 32 + 12_345, 2 ** 33 - 1]) assert.equal(readPts(keyPacket(0x100, pts), 0), pts);
  const packet = keyPacket(0x1ff, 90_000);
  assert.equal(pidOf(packet, 0), 0x1ff);
  assert.ok(startsUnit(packet, 0) && isRandomAccess(packet, 0));
  assert.deepEqual([...elementaryBytes(packet, 0).subarray(0, 2)], [0xab, 0xcd]);
});

test('the time of a transport stream counts on past the wrap, forth and back', () => {
  const line = new Unwrapper();
  assert.equal(line.unwrap(2 ** 33 - 3000), 2 ** 33 - 3000);
  assert.equal(line.unwrap(600), 2 ** 33 + 600);
  assert.equal(line.unwrap(2 ** 33 - 100), 2 ** 33 - 100, 'a B frame before the wrap');
  assert.equal(line.unwrap(4200), 2 ** 33 + 4200);
});

test('packets are found in any cut of the bytes, and again after damage', () => {
  const packets = [keyPacket(1, 1), keyPacket(2, 2), keyPacket(3, 3)];
  const bytes = Buffer.concat(packets);
  for (const cut of [1, 100, 188, 189, 400]) {
    const splitter = new PacketSplitter();
    const parts = [Buffer.from(bytes.subarray(0, cut)), Buffer.from(bytes.subarray(cut))].map((part) =>
      splitter.push(part),
    );
    assert.deepEqual(Buffer.concat(parts), bytes, `cut at ${cut}`);
  }
  const splitter = new PacketSplitter();
  const torn = Buffer.concat([packets[0]!.subarray(0, 90), packets[1]!, packets[2]!]);
  const found = Buffer.concat([splitter.push(torn), splitter.push(Buffer.concat(packets))]);
  assert.ok(found.includes(packets[2]!));
  splitter.push(packets[0]!.subarray(0, 50));
  splitter.reset();
  assert.deepEqual(splitter.push(Buffer.from(packets[1]!)), packets[1]);
});
