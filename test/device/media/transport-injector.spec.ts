/** The injector with real ffmpeg output; ffprobe tells what is in the stream afterwards. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { breakOut } from '../../../device/media/scte35/cue-message.ts';
import { heartbeat } from '../../helpers/cue-messages.ts';
import { id3Tag } from '../../../device/media/mpeg-ts/id3.ts';
import { elementaryBytes, PACKET_BYTES, pidOf, readPts, startsUnit } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { parsePat, patPacket, PMT_PID, pmtPackets } from '../../../device/media/mpeg-ts/psi.ts';
import { decodeSplice, encodeSplice } from '../../../device/media/scte35/scte35.ts';
import { TransportInjector } from '../../helpers/transport-injector.ts';
import { CUE_STREAM_TYPE, ID3_STREAM_TYPE } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { programMapSection, readProgramMap, SectionAssembler, type ProgramMap } from '../../helpers/program-map.ts';
import { sectionPackets } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const dir = testFolder({ after }, 'injector');

/** Four seconds with B frames, beginning at 10 s. */
const SOURCE = execFileSync(
  'ffmpeg',
  [
    ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '4'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-g', '25', '-b:v', '100k', '-c:a', 'aac', '-b:a', '64k'],
    ...['-output_ts_offset', '10', '-muxdelay', '0', '-muxpreload', '0', '-f', 'mpegts', 'pipe:1'],
  ],
  { maxBuffer: 16 << 20 },
);

interface Packet {
  codec_type: string;
  stream_index: number;
  pts?: number;
  data_hash: string;
}

function probe(bytes: Buffer): { streams: { codec_name: string; id: string }[]; packets: Packet[] } {
  const path = join(dir, 'probe.ts');
  writeFileSync(path, bytes);
  const entries = 'stream=codec_name,id:packet=codec_type,stream_index,pts,data_hash';
  const args = ['-v', 'error', '-show_data_hash', 'md5', '-show_entries', entries, '-of', 'json', path];
  return JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 16 << 20 })) as never;
}

function packetsOf(bytes: Buffer): Buffer[] {
  assert.equal(bytes.length % PACKET_BYTES, 0);
  return Array.from({ length: bytes.length / PACKET_BYTES }, (_, i) =>
    bytes.subarray(i * PACKET_BYTES, (i + 1) * PACKET_BYTES),
  );
}

/** ffmpeg up to 5.1 takes the first five bytes of every unit of type 0x15 for an access unit header, which only 0xfc streams have. */
const SWALLOWED = 5;
const md5 = (bytes: Buffer) => `MD5:${createHash('md5').update(bytes).digest('hex')}`;

test('cues and ID3 are seen at their times, and pictures and sound are what they were', () => {
  const cue = encodeSplice(breakOut({ eventId: 5, ticks: 12.6 * 90_000, durationTicks: 90_000 }));
  const filler = { kind: 'other' as const, tag: 0xf0, bytes: Buffer.alloc(250, 7) };
  const long = encodeSplice({ ...decodeSplice(cue).info!, descriptors: [filler, filler, filler] });
  const tag = id3Tag([{ id: 'TXXX', description: 'song', value: 'Grüße' }]);
  const longTag = id3Tag([{ id: 'PRIV', owner: 'example.org', data: Buffer.alloc(1000, 1) }]);
  const injector = new TransportInjector({ cues: true, id3: true });
  injector.insertCue(cue, 11 * 90_000);
  injector.insertCue(long, 12 * 90_000);
  injector.insertId3(tag, 11.52 * 90_000);
  injector.insertId3(longTag, 12.48 * 90_000);
  assert.equal(injector.nowTicks, undefined);

  const parts: Buffer[] = [];
  const cut = 777;
  let nowAt = 0;
  for (let from = 0; from < SOURCE.length; from += cut) {
    parts.push(injector.push(Buffer.from(SOURCE.subarray(from, from + cut))));
    if (nowAt === 0 && injector.nowTicks !== undefined && injector.nowTicks >= 13 * 90_000) {
      nowAt = injector.nowTicks;
      injector.insertId3(tag);
      injector.insertCue(heartbeat());
    }
  }
  assert.equal(injector.waiting, 0);
  const { streams, packets } = probe(Buffer.concat(parts));
  assert.deepEqual(
    streams.map(({ codec_name }) => codec_name),
    ['h264', 'aac', 'scte_35', 'timed_id3'],
  );

  const id3Packets = packetsOf(Buffer.concat(parts)).filter((packet) => pidOf(packet, 0) === 0x1f1);
  const sent = Buffer.concat(id3Packets.map((packet) => elementaryBytes(packet, 0)));
  assert.deepEqual(sent, Buffer.concat([tag, longTag, tag]));

  const of = (index: number) => packets.filter(({ stream_index }) => stream_index === index);
  assert.deepEqual(
    of(3).map(({ pts, data_hash }) => [pts, data_hash]),
    [
      [11.52 * 90_000, md5(tag.subarray(SWALLOWED))],
      [12.48 * 90_000, md5(longTag.subarray(SWALLOWED))],
      [nowAt, md5(tag.subarray(SWALLOWED))],
    ],
  );
  assert.deepEqual(
    of(2).map(({ data_hash }) => data_hash),
    [md5(cue), md5(long), md5(heartbeat())],
  );
  // A section has no PTS: ffprobe gives the newest PCR, which is before the picture by the delay of its B frames.
  const late = of(2).map(({ pts }, i) => [11 * 90_000, 12 * 90_000, nowAt][i]! - pts!);
  assert.ok(
    late.every((ticks) => ticks >= 0 && ticks <= 0.2 * 90_000),
    `${late}`,
  );

  const media = (list: Packet[]) => list.filter(({ stream_index }) => stream_index < 2);
  assert.deepEqual(media(packets), media(probe(SOURCE).packets));
});

test('a cue goes out before the first packet of its picture', () => {
  const injector = new TransportInjector({ cues: true, id3: false });
  const at = 12 * 90_000;
  injector.insertCue(heartbeat(), at);
  const packets = packetsOf(injector.push(Buffer.from(SOURCE)));
  const place = packets.findIndex((packet) => pidOf(packet, 0) === 0x1f0);
  assert.ok(place > 0);
  const pictures = (list: Buffer[]) =>
    list.filter((packet) => pidOf(packet, 0) === 0x100 && startsUnit(packet, 0)).map((packet) => readPts(packet, 0)!);
  assert.ok(pictures(packets.slice(0, place)).every((pts) => pts < at));
  assert.ok(pictures(packets.slice(place))[0]! >= at);
});

test('the PMT alone is written anew, and the counters of the added PIDs count on', () => {
  const injector = new TransportInjector({ cues: true, id3: true });
  const size = 40 * PACKET_BYTES;
  const parts: Buffer[] = [];
  for (let from = 0; from < SOURCE.length; from += size) {
    if (from > size) injector.insertCue(heartbeat());
    if (from > size) injector.insertId3(id3Tag([{ id: 'PRIV', owner: 'o', data: Buffer.alloc(300) }]));
    parts.push(injector.push(Buffer.from(SOURCE.subarray(from, from + size))));
  }
  const packets = packetsOf(Buffer.concat(parts));
  const [pmtPid] = parsePat(
    packets.find((packet) => pidOf(packet, 0) === 0)!,
    0,
  )!;
  const added = [0x1f0, 0x1f1];
  const untouched = (list: Buffer[]) =>
    Buffer.concat(list.filter((packet) => ![pmtPid, ...added].includes(pidOf(packet, 0))));
  assert.ok(untouched(packets).equals(untouched(packetsOf(SOURCE))));
  for (const pid of [pmtPid, ...added]) {
    const counters = packets.filter((packet) => pidOf(packet, 0) === pid).map((packet) => packet[3]! & 15);
    assert.ok(counters.length > 4, `${pid}: ${counters.length}`);
    assert.deepEqual(
      counters,
      counters.map((_, i) => i & 15),
    );
  }
});

/** A stream of tables only. */
function tables(source: ProgramMap): Buffer {
  return Buffer.concat([patPacket(0), sectionPackets(PMT_PID, programMapSection(source), source.version)]);
}

function mapOf(bytes: Buffer): ProgramMap {
  const assembler = new SectionAssembler();
  const sections = packetsOf(bytes).flatMap((packet) =>
    pidOf(packet, 0) === PMT_PID ? assembler.push(packet, 0) : [],
  );
  return readProgramMap(sections[0]!)!;
}

test('the version of the PMT counts on only when the source changes, and taken PIDs are left to the source', () => {
  const injector = new TransportInjector({ cues: true, id3: true });
  const video = { pid: 0x100, type: 0x1b, descriptors: Buffer.alloc(0) };
  const own = { pid: 0x1f0, type: 0x06, descriptors: Buffer.from('0502abcd', 'hex') };
  const source = { programNumber: 3, version: 31, pcrPid: 0x100, descriptors: Buffer.alloc(0), streams: [video] };
  const first = mapOf(injector.push(tables(source)));
  assert.deepEqual([first.programNumber, first.version, first.pcrPid], [3, 31, 0x100]);
  assert.deepEqual(
    first.streams.map(({ pid, type }) => [pid, type]),
    [
      [0x100, 0x1b],
      [0x1f0, CUE_STREAM_TYPE],
      [0x1f1, ID3_STREAM_TYPE],
    ],
  );
  assert.ok(first.descriptors.includes('CUEI') && first.descriptors.subarray(-2).equals(Buffer.from([0, 3])));
  assert.equal(mapOf(injector.push(tables({ ...source, version: 0 }))).version, 31);
  const changed = mapOf(injector.push(tables({ ...source, version: 1, streams: [video, own] })));
  assert.equal(changed.version, 0);
  assert.deepEqual(
    changed.streams.map(({ pid }) => pid),
    [0x100, 0x1f0, 0x1f1, 0x1f2],
  );
  assert.equal(mapOf(injector.push(tables({ ...source, version: 2, streams: [video, own] }))).version, 0);
});

test('a PMT of several packets is read, and a damaged one is not passed on', () => {
  const streams = Array.from({ length: 40 }, (_, i) => {
    return { pid: 0x100 + i, type: i === 0 ? 0x1b : 0x0f, descriptors: Buffer.from('0a04656e6700', 'hex') };
  });
  const source = { programNumber: 1, version: 0, pcrPid: 0x100, descriptors: Buffer.alloc(0), streams };
  const injector = new TransportInjector({ cues: true, id3: false });
  assert.equal(mapOf(injector.push(tables(source))).streams.length, 41);
  const damaged = tables({ ...source, version: 5 });
  damaged[300]! ^= 1;
  assert.deepEqual(injector.push(damaged), patPacket(0));
  const next = tables({ ...source, version: 8 });
  next[PACKET_BYTES * 2 + 3]! ^= 2;
  assert.deepEqual(injector.push(next), patPacket(0), 'a packet is missing');
});

test('a PMT without room for more is passed on as it is', () => {
  const streams = Array.from({ length: 144 }, (_, i) => ({
    pid: 0x100 + i,
    type: 0x1b,
    descriptors: Buffer.from('5201', 'hex'),
  }));
  const full = { programNumber: 1, version: 4, pcrPid: 0x100, descriptors: Buffer.alloc(0), streams };
  const injector = new TransportInjector({ cues: true, id3: true });
  injector.insertCue(heartbeat());
  assert.deepEqual(mapOf(injector.push(tables(full))), full);
  assert.equal(injector.waiting, 1);
});

test('damage in the transport stream does not end the injector', () => {
  const few = SOURCE.subarray(0, 60 * PACKET_BYTES);
  const changes = fc.array(fc.tuple(fc.nat(few.length - 1), fc.nat(255)), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(changes, (list) => {
      const damaged = Buffer.from(few);
      for (const [at, byte] of list) damaged[at] = byte;
      const injector = new TransportInjector({ cues: true, id3: true });
      injector.insertCue(heartbeat());
      injector.insertId3(Buffer.alloc(400), 900_000);
      packetsOf(injector.push(damaged));
    }),
  );
});

test('metadata that has no PID, or fits in no unit, is refused at once', () => {
  const injector = new TransportInjector({ cues: false, id3: true });
  const refused = { name: 'RangeError' };
  assert.throws(() => injector.insertCue(heartbeat()), refused);
  assert.throws(() => injector.insertId3(Buffer.alloc(70_000)), refused);
  assert.throws(() => new TransportInjector({ cues: true, id3: false }).insertId3(Buffer.alloc(10)), refused);
  assert.throws(() => new TransportInjector({ cues: true, id3: false }).insertCue(Buffer.alloc(5000)), refused);
  assert.equal(injector.waiting, 0);
});

test('everything waits before the first picture, and times beyond the wrap are the nearest ones', () => {
  const pes = (pts: number) => {
    const packet = Buffer.alloc(PACKET_BYTES, 0xff);
    packet.set([
      0x47,
      0x41,
      0,
      0x10,
      0,
      0,
      1,
      0xe0,
      0,
      0,
      0x80,
      0x80,
      5,
      0x21 | ((Math.floor(pts / 2 ** 30) & 7) << 1),
    ]);
    packet.writeUInt16BE(((Math.floor(pts / 2 ** 15) & 0x7fff) << 1) | 1, 14);
    packet.writeUInt16BE(((pts & 0x7fff) << 1) | 1, 16);
    return packet;
  };
  const injector = new TransportInjector({ cues: true, id3: false });
  injector.insertCue(heartbeat(), 100);
  const head = [patPacket(0), pmtPackets([{ pid: 0x100, type: 0x1b, descriptors: Buffer.alloc(0) }], 0x100, 0)];
  injector.push(Buffer.concat([...head, pes(2 ** 33 - 9000)]));
  assert.deepEqual([injector.waiting, injector.nowTicks], [1, 2 ** 33 - 9000]);
  assert.equal(injector.push(pes(2 ** 33 - 3000)).length, PACKET_BYTES);
  assert.equal(injector.push(pes(600)).length, 2 * PACKET_BYTES);
  assert.deepEqual([injector.waiting, injector.nowTicks], [0, 600]);
});
