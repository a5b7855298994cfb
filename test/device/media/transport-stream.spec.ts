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
import { ProgramReader } from '../../../device/media/mpeg-ts/program-reader.ts';
import {
  crc32Mpeg,
  patPacket,
  PMT_PID,
  pmtPackets,
  ProgramTables,
  type ElementaryStream,
} from '../../../device/media/mpeg-ts/psi.ts';
import { subtitlesIn, subtitlesOf } from '../../../device/media/mpeg-ts/subtitles.ts';

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

/** The tables that a reader takes from these packets. */
function tablesIn(...packets: readonly Buffer[]): string[] {
  const reader = new ProgramReader();
  const data = Buffer.concat(packets);
  const found: string[] = [];
  for (let at = 0; at < data.length; at += PACKET_BYTES)
    for (const { streams } of reader.push(data, at))
      found.push(streams === undefined ? 'pat' : `${streams.length} streams`);
  return found;
}

const STREAMS = [
  { pid: 0x100, type: 0x1b, descriptors: Buffer.alloc(0) },
  { pid: 0x101, type: 0x06, descriptors: Buffer.from('05044f707573', 'hex') },
];
const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ...STREAMS[1]!, pid: 0x100 + i }));
/** The packets of a map with so many streams: 15 fit into one packet, 40 into three. */
const mapOf = (count: number, continuity = 0): Buffer[] => {
  const bytes = pmtPackets(many(count), 0x100, continuity);
  return Array.from({ length: bytes.length / PACKET_BYTES }, (_, i) =>
    Buffer.from(bytes.subarray(i * PACKET_BYTES, (i + 1) * PACKET_BYTES)),
  );
};

test('tables that are written can be read, and their version grows when they change', () => {
  const reader = new ProgramReader();
  assert.deepEqual(
    reader.push(patPacket(3), 0).map(({ pid }) => pid),
    [0],
  );
  assert.deepEqual(reader.programs, [{ number: 1, pmtPid: PMT_PID }]);
  const pmt = pmtPackets(STREAMS, 0x100, 7);
  assert.deepEqual([pmt.length, pidOf(pmt, 0), pmt[3]! & 15], [PACKET_BYTES, PMT_PID, 7]);
  assert.deepEqual(reader.push(pmt, 0)[0]?.streams, STREAMS);
  const long = mapOf(40, 15);
  assert.deepEqual(
    long.map((packet) => [packet[3]! & 15, startsUnit(packet, 0)]),
    [
      [15, true],
      [0, false],
      [1, false],
    ],
  );
  assert.throws(() => pmtPackets(many(120), 0x100, 0), RangeError);
  const tables = new ProgramTables();
  const versions = [STREAMS, STREAMS, many(3), many(3), STREAMS].map((streams) => {
    const [pat, map] = tables.next(streams, 0x100);
    return [pat![3]! & 15, map![3]! & 15, (map![10]! >> 1) & 31];
  });
  assert.deepEqual(versions, [
    [0, 0, 0],
    [1, 1, 0],
    [2, 2, 1],
    [3, 3, 1],
    [4, 4, 2],
  ]);
});

test('tables are read whatever lies between their packets, and damaged ones are not', () => {
  const [pat, other] = [patPacket(0), keyPacket(0x100, 1)];
  const [a, b, c] = mapOf(40) as [Buffer, Buffer, Buffer];
  const [short] = mapOf(2, 3) as [Buffer];
  const damaged = Buffer.from(short);
  damaged[12]! ^= 1;
  const ahead = Buffer.from(short);
  ahead[10]! &= 0xfe;
  ahead.writeUInt32BE(
    crc32Mpeg(ahead.subarray(5, 5 + 3 + (ahead.readUInt16BE(6) & 0xfff) - 4)),
    5 + (ahead.readUInt16BE(6) & 0xfff) - 1,
  );
  // The end of the long map, then a pointer to the short one, in one packet; and two short ones behind each other.
  const end = c.subarray(4, 4 + 8 + 3 + 9 + 40 * 11 + 4 - 2 * 184);
  const sections = short.subarray(5, 5 + 3 + (short.readUInt16BE(6) & 0xfff));
  const packed = (head: Buffer, counter: number, ...parts: Buffer[]): Buffer => {
    const packet = Buffer.alloc(PACKET_BYTES, 0xff);
    packet.set([0x47, 0x40 | (PMT_PID >> 8), PMT_PID & 0xff, 0x10 | counter, head.length]);
    Buffer.concat([head, ...parts]).copy(packet, 5);
    return packet;
  };
  const still = (packet: Buffer): Buffer => {
    const bytes = Buffer.from(packet);
    bytes[3]! &= 0xf0;
    return bytes;
  };
  const cases: [string, Buffer[], string[]][] = [
    ['side by side', [pat, a, b, c], ['pat', '40 streams']],
    ['with packets of others between', [pat, a, other, b, other, pat, c], ['pat', 'pat', '40 streams']],
    ['before their PAT', [a, b, c, pat], ['pat']],
    ['with a packet lost in the middle', [pat, a, c, ...mapOf(40, 3)], ['pat', '40 streams']],
    ['with each packet sent twice', [pat, a, a, b, b, c, c], ['pat', '40 streams']],
    ['by an encoder that does not count', [pat, a, b, c, a, b, c].map(still), ['pat', '40 streams', '40 streams']],
    ['with the next behind its end', [pat, a, b, packed(end, 2, sections)], ['pat', '40 streams', '2 streams']],
    ['several in one packet', [pat, packed(Buffer.alloc(0), 0, sections, sections)], ['pat', '2 streams', '2 streams']],
    ['that change', [pat, ...mapOf(2), ...mapOf(3, 1)], ['pat', '2 streams', '3 streams']],
    ['damaged', [pat, damaged, short], ['pat', '2 streams']],
    ['ahead of their time', [pat, ahead], ['pat']],
    ['cut short', [pat, a, b], ['pat']],
  ];
  for (const [name, packets, expected] of cases) assert.deepEqual(tablesIn(...packets), expected, name);
});

test('DVB subtitles and teletext are told with their languages, by the tables and by what ffmpeg says of them', () => {
  const stream = (type: number, descriptors: string): ElementaryStream => ({
    pid: 0x104,
    type,
    descriptors: Buffer.from(descriptors, 'hex'),
  });
  const deu = '646575';
  const fra = '667261';
  assert.deepEqual(
    subtitlesOf([
      stream(0x1b, `5908${deu}1000010001`),
      stream(0x06, `0a04${deu}005910${deu}1000010001${fra}1000010001`),
      stream(0x06, `560a${fra}0900${deu}1088`),
      stream(0x06, `5908${deu}1000010001`),
      stream(0x06, '5908ffffff1000'),
      stream(0x06, '6a0100'),
    ]),
    ['DVB subtitles (deu)', 'DVB subtitles (fra)', 'Teletext (fra)', 'Teletext (deu)'],
  );
  const notes = [
    '  Stream #0:0[0x100]: Video: h264 (High) ([27][0][0][0] / 0x001B), yuv420p, 1280x720',
    '  Stream #0:2[0x104](deu): Subtitle: dvb_subtitle ([6][0][0][0] / 0x0006)',
    '  Stream #0:3[0x105]: Subtitle: dvb_teletext ([6][0][0][0] / 0x0006)',
  ];
  assert.deepEqual(subtitlesIn(notes.join('\n')), ['DVB subtitles (deu)', 'Teletext']);
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
