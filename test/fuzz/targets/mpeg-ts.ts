/** Packets, program tables and units of a transport stream. */
import assert from 'node:assert/strict';
import {
  elementaryBytes,
  isRandomAccess,
  PACKET_BYTES,
  PacketSplitter,
  pidOf,
  readPts,
  startsUnit,
} from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PesJoiner } from '../../../device/media/mpeg-ts/pes-joiner.ts';
import { ProgramClock, readClock } from '../../../device/media/mpeg-ts/program-clock.ts';
import { ProgramReader, SectionAssembler } from '../../../device/media/mpeg-ts/program-reader.ts';
import { patPacket, pmtPackets } from '../../../device/media/mpeg-ts/psi.ts';
import { id3Packets } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { programMapSection, readProgramMap } from '../../helpers/program-map.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';
import { mended } from '../transport.ts';

const STREAMS = [
  { pid: 0x100, type: 0x1b, descriptors: Buffer.alloc(0) },
  { pid: 0x101, type: 0x06, descriptors: Buffer.from('0a04656e6700', 'hex') },
];

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([
      Buffer.from([0]),
      patPacket(0),
      pmtPackets(STREAMS, 0x100, 0),
      id3Packets(0x101, Buffer.alloc(300), 1, 0),
    ]),
    Buffer.concat([Buffer.from([1]), pmtPackets(STREAMS, 0x100, 1, Buffer.from('050443554549', 'hex'))]),
    // A clock reference, and a section of eight bytes behind its length.
    Buffer.concat([Buffer.from([2]), Buffer.from('47410030071000000000fe0000', 'hex'), Buffer.alloc(175, 0xff)]),
    Buffer.concat([
      Buffer.from([3]),
      Buffer.from('474100100002b009000000000000000000', 'hex'),
      Buffer.alloc(171, 0xff),
    ]),
  ],
  run(bytes) {
    read(bytes.subarray(1), bytes[0] ?? 0);
    // Damage is refused by its checksum: with right ones the readers behind it are reached.
    read(mended(bytes.subarray(1)), bytes[0] ?? 0);
  },
};

function read(bytes: Buffer, rule: number): void {
  const splitter = new PacketSplitter();
  const sections = new SectionAssembler();
  const tables = new ProgramReader();
  const units = new PesJoiner();
  const clock = new ProgramClock(0x100);
  let [passed, held] = [0, 0];
  for (const part of pieces(bytes, rule)) {
    const data = splitter.push(part);
    assert.equal(data.length % PACKET_BYTES, 0);
    passed += data.length;
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      assert.ok(pidOf(data, at) < 0x2000);
      for (const { pid, streams = [] } of tables.push(data, at)) {
        assert.ok(pid < 0x2000 && tables.programs.every(({ pmtPid }) => tables.reads(pmtPid)));
        for (const { descriptors } of streams) assert.ok(descriptors.length < 4096);
      }
      const pts = readPts(data, at);
      assert.ok(pts === undefined || (pts >= 0 && pts < 2 ** 33));
      const ticks = readClock(data, at);
      assert.ok(ticks === undefined || ticks >= 0);
      assert.ok(elementaryBytes(data, at).length <= PACKET_BYTES - 4);
      for (const section of sections.push(data, at)) again(section);
      const packet = {
        bytes: data.subarray(at, at + PACKET_BYTES),
        starts: startsUnit(data, at),
        key: isRandomAccess(data, at),
        pts,
      };
      for (const unit of units.push(packet)) held += unit.data.length;
    }
    // Changes what it is given: it comes last. Between two clocks there are at most 25 packets.
    assert.ok(clock.pass(Buffer.from(data)).length <= 26 * data.length);
  }
  for (const unit of units.finish()) held += unit.data.length;
  assert.ok(passed <= bytes.length && held <= bytes.length);
}

/** A program map that was read is written as it was, when it is not too long. */
function again(section: Buffer): void {
  const map = readProgramMap(section);
  const written = map && refusing([RangeError], () => programMapSection(map));
  if (written !== undefined) assert.deepEqual(readProgramMap(written), map);
}
