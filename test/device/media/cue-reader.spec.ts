/** The reader of a source's cues meets packets that no muxer should send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heartbeat } from '../../helpers/cue-messages.ts';
import { CueReader, inputFacts } from '../../../device/media/scte35/cue-reader.ts';
import { PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { crc32Mpeg, patPacket, pmtPackets, PMT_PID } from '../../../device/media/mpeg-ts/psi.ts';
import { id3Packets } from '../../../device/media/mpeg-ts/ts-metadata.ts';

const PID = 0x100;
const HEAD = Buffer.concat([
  patPacket(0),
  pmtPackets([{ pid: PID, type: 0x06, descriptors: Buffer.alloc(0) }], PID, 0),
]);

/** A packet whose adaptation field leaves no room for a payload, although it says that it has one. */
function emptyPacket(): Buffer {
  const packet = Buffer.alloc(PACKET_BYTES, 0xff);
  packet.set([0x47, PID >> 8, PID & 0xff, 0x30, PACKET_BYTES - 5, 0]);
  return packet;
}

test('packets without a payload cost a unit nothing, however many come', () => {
  const reader = new CueReader(0);
  const [first, ...others] = halves(id3Packets(PID, Buffer.concat([heartbeat(), Buffer.alloc(200)]), 90_000, 0));
  reader.push(Buffer.concat([HEAD, id3Packets(PID, Buffer.from('fc30', 'hex'), 90_000, 0)]));
  const many = Buffer.concat(Array<Buffer>(1000).fill(emptyPacket()));
  const begun = process.cpuUsage();
  for (let i = 0; i < 30; i += 1) assert.deepEqual(reader.push(many), []);
  // Kept and joined again at each packet, 30,000 of them take a quarter of a minute and more.
  const { user, system } = process.cpuUsage(begun);
  assert.ok(user + system < 4_000_000, `${user + system} µs of CPU`);
  assert.equal(reader.push(Buffer.concat([first!, ...others])).length, 1);
});

function halves(packets: Buffer): Buffer[] {
  return [packets.subarray(0, PACKET_BYTES), packets.subarray(PACKET_BYTES)];
}

test('a program map that is too short for its fields is no program map', () => {
  const section = Buffer.from('02b00900010000000000000000'.slice(0, 24), 'hex');
  section.writeUInt32BE(crc32Mpeg(section.subarray(0, -4)), section.length - 4);
  const packet = Buffer.alloc(PACKET_BYTES, 0xff);
  packet.set([0x47, 0x40 | (PMT_PID >> 8), PMT_PID & 0xff, 0x11, 0]);
  section.copy(packet, 5);
  const reader = new CueReader(0);
  assert.deepEqual(reader.push(Buffer.concat([HEAD, packet])), []);
  assert.equal(reader.push(id3Packets(PID, heartbeat(), 90_000, 0)).length, 1);
});

test('a splice start that is no number counts as none', () => {
  assert.deepEqual(inputFacts('  Duration: N/A, start: 1.400000, bitrate: N/A'), { startSeconds: 1.4 });
  for (const start of ['-', '.', '-.', '1e5x', '9'.repeat(400)])
    assert.deepEqual(inputFacts(`  Duration: ., start: ${start}`), {}, start);
});
