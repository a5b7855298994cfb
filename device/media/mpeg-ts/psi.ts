/** Program tables of a transport stream, ISO/IEC 13818-1 §2.4.4: they are read from the encoder and written anew for each Destination. */
import { PACKET_BYTES, setContinuity } from './mpeg-ts.ts';

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000_0000) === 0 ? crc << 1 : (crc << 1) ^ 0x04c1_1db7;
  return crc;
});

/** CRC-32/MPEG-2 (ISO/IEC 13818-1 annex A) is not reflected and has no final complement. Over a section with its CRC it is 0. */
export function crc32Mpeg(data: Buffer): number {
  let crc = 0xffff_ffff;
  for (const byte of data) crc = (crc << 8) ^ CRC_TABLE[((crc >>> 24) ^ byte) & 0xff]!;
  return crc >>> 0;
}

export interface ElementaryStream {
  pid: number;
  /** stream_type, ISO/IEC 13818-1 table 2-34. */
  type: number;
  descriptors: Buffer;
}

export interface Program {
  number: number;
  pmtPid: number;
}

/** current_next_indicator: a table that is sent ahead of its time is not in force. CRC is the caller's matter. */
function isInForce(section: Buffer, tableId: number, minBytes: number): boolean {
  return section.length >= minBytes && section[0] === tableId && (section[5]! & 1) === 1;
}

/** Returns the programs in the order of the table; program 0 (the network table) is left out. */
export function parsePat(section: Buffer): Program[] | undefined {
  if (!isInForce(section, 0x00, 12)) return undefined;
  const programs: Program[] = [];
  for (let entry = 8; entry + 4 <= section.length - 4; entry += 4) {
    const number = section.readUInt16BE(entry);
    if (number !== 0) programs.push({ number, pmtPid: section.readUInt16BE(entry + 2) & 0x1fff });
  }
  return programs;
}

export function parsePmt(section: Buffer): { program: number; streams: ElementaryStream[] } | undefined {
  if (!isInForce(section, 0x02, 16)) return undefined;
  const streams: ElementaryStream[] = [];
  const end = section.length - 4;
  let entry = 12 + (section.readUInt16BE(10) & 0x0fff);
  while (entry + 5 <= end) {
    const length = section.readUInt16BE(entry + 3) & 0x0fff;
    const descriptors = Buffer.from(section.subarray(entry + 5, Math.min(end, entry + 5 + length)));
    streams.push({ pid: section.readUInt16BE(entry + 1) & 0x1fff, type: section[entry]!, descriptors });
    entry += 5 + length;
  }
  return { program: section.readUInt16BE(3), streams };
}

export const PMT_PID = 0x1000;

/** The tables of one program as they are sent again and again: the version of its map grows when that changes (§2.4.4.9). */
export class ProgramTables {
  private programs = 0;
  private maps = 0;
  private version = 0;
  private written: Buffer | undefined;

  /** Returns the packets of both tables. Throws RangeError as `pmtPackets` does. */
  next(streams: readonly ElementaryStream[], pcrPid: number, program?: Buffer): Buffer[] {
    const content = pmtPackets(streams, pcrPid, 0, program);
    if (this.written !== undefined && !this.written.equals(content)) this.version = (this.version + 1) & 31;
    this.written = content;
    const map = pmtPackets(streams, pcrPid, this.maps, program, { version: this.version });
    this.maps += map.length / PACKET_BYTES;
    return [patPacket(this.programs++), map];
  }
}

/** Returns one packet with a PAT that names one program with its PMT at PMT_PID. */
export function patPacket(continuity: number, number = 1): Buffer {
  const body = Buffer.from([0, 1, 0xc1, 0, 0, number >> 8, number & 0xff, 0xe0 | (PMT_PID >> 8), PMT_PID & 0xff]);
  return tablePackets(0, 0x00, body, continuity);
}

/** ISO/IEC 13818-1 §2.4.4.9. */
const MAX_SECTION_BYTES = 1024;

/**
 * Returns the PMT of one program in as many packets as it needs, the first of which has this continuity counter; `program` are descriptors
 * of the whole of it. Throws RangeError when the streams do not fit (about 60 with a language each).
 */
export function pmtPackets(
  streams: readonly ElementaryStream[],
  pcrPid: number,
  continuity: number,
  program: Buffer = Buffer.alloc(0),
  { version = 0, number = 1 } = {},
): Buffer {
  const head = Buffer.from([
    number >> 8,
    number & 0xff,
    0xc1 | (version << 1),
    0,
    0,
    0xe0 | (pcrPid >> 8),
    pcrPid & 0xff,
    0xf0,
    program.length,
  ]);
  const entries = streams.map(({ pid, type, descriptors }) => {
    const length = descriptors.length;
    return Buffer.concat([
      Buffer.from([type, 0xe0 | (pid >> 8), pid & 0xff, 0xf0 | (length >> 8), length & 0xff]),
      descriptors,
    ]);
  });
  return tablePackets(PMT_PID, 0x02, Buffer.concat([head, program, ...entries]), continuity);
}

const HEADER_BYTES = 4;

function tablePackets(pid: number, tableId: number, body: Buffer, continuity: number): Buffer {
  const length = body.length + 4;
  const start = Buffer.concat([Buffer.from([tableId, 0xb0 | (length >> 8), length & 0xff]), body]);
  if (start.length + 4 > MAX_SECTION_BYTES)
    throw new RangeError(`A program table of ${start.length + 4} bytes is too long.`);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32Mpeg(start));
  // The first byte points to the section, which begins at once.
  const payload = Buffer.concat([Buffer.from([0]), start, crc]);
  const room = PACKET_BYTES - HEADER_BYTES;
  const packets = Buffer.alloc(Math.ceil(payload.length / room) * PACKET_BYTES, 0xff);
  for (let n = 0, at = 0; at < packets.length; n += 1, at += PACKET_BYTES) {
    packets.set([0x47, (n === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x10], at);
    setContinuity(packets, at, continuity + n);
    payload.copy(packets, at + HEADER_BYTES, n * room, (n + 1) * room);
  }
  return packets;
}
