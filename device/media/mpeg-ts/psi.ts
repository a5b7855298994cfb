/** Program tables of a transport stream, ISO/IEC 13818-1 §2.4.4: they are read from the encoder and written anew for each Destination. */
import { PACKET_BYTES, payloadStart, setContinuity } from './mpeg-ts.ts';

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

/** Returns the section that begins in this packet, without its CRC; undefined when it is damaged or longer than the packet. */
function readSection(data: Buffer, at: number): Buffer | undefined {
  const pointer = payloadStart(data, at);
  const end = at + PACKET_BYTES;
  if (pointer >= end) return undefined;
  const from = pointer + 1 + data[pointer]!;
  if (from + 3 > end) return undefined;
  const length = 3 + (data.readUInt16BE(from + 1) & 0x0fff);
  if (length < 12 || from + length > end) return undefined;
  const section = data.subarray(from, from + length);
  return crc32Mpeg(section) === 0 ? section.subarray(0, length - 4) : undefined;
}

/** Returns PMT pids in the order of the table; program 0 (the network table) is left out. */
export function parsePat(data: Buffer, at: number): number[] | undefined {
  const section = readSection(data, at);
  if (section === undefined || section[0] !== 0x00) return undefined;
  const pids: number[] = [];
  for (let entry = 8; entry + 4 <= section.length; entry += 4) {
    if (section.readUInt16BE(entry) !== 0) pids.push(section.readUInt16BE(entry + 2) & 0x1fff);
  }
  return pids;
}

export function parsePmt(data: Buffer, at: number): ElementaryStream[] | undefined {
  const section = readSection(data, at);
  if (section === undefined || section[0] !== 0x02 || section.length < 12) return undefined;
  const streams: ElementaryStream[] = [];
  let entry = 12 + (section.readUInt16BE(10) & 0x0fff);
  while (entry + 5 <= section.length) {
    const length = section.readUInt16BE(entry + 3) & 0x0fff;
    const descriptors = Buffer.from(section.subarray(entry + 5, entry + 5 + length));
    streams.push({ pid: section.readUInt16BE(entry + 1) & 0x1fff, type: section[entry]!, descriptors });
    entry += 5 + length;
  }
  return streams;
}

export const PMT_PID = 0x1000;

/** Returns one packet with a PAT that names one program, number 1, with its PMT at PMT_PID. */
export function patPacket(continuity: number): Buffer {
  const body = Buffer.from([0, 1, 0xc1, 0, 0, 0, 1, 0xe0 | (PMT_PID >> 8), PMT_PID & 0xff]);
  return tablePacket(0, 0x00, body, continuity);
}

/** Returns one packet with the PMT of one program; `program` are descriptors of the whole of it. Throws RangeError when the streams do not fit (about 30 plain ones). */
export function pmtPacket(
  streams: readonly ElementaryStream[],
  pcrPid: number,
  continuity: number,
  program: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.from([0, 1, 0xc1, 0, 0, 0xe0 | (pcrPid >> 8), pcrPid & 0xff, 0xf0, program.length]);
  const entries = streams.map(({ pid, type, descriptors }) => {
    const length = descriptors.length;
    return Buffer.concat([
      Buffer.from([type, 0xe0 | (pid >> 8), pid & 0xff, 0xf0 | (length >> 8), length & 0xff]),
      descriptors,
    ]);
  });
  return tablePacket(PMT_PID, 0x02, Buffer.concat([head, program, ...entries]), continuity);
}

function tablePacket(pid: number, tableId: number, body: Buffer, continuity: number): Buffer {
  const length = body.length + 4;
  const section = Buffer.concat([Buffer.from([tableId, 0xb0 | (length >> 8), length & 0xff]), body]);
  if (section.length + 4 + 5 > PACKET_BYTES)
    throw new RangeError(`A program table of ${section.length} bytes does not fit into one packet.`);
  const packet = Buffer.alloc(PACKET_BYTES, 0xff);
  packet.set([0x47, 0x40 | (pid >> 8), pid & 0xff, 0x10, 0]);
  setContinuity(packet, 0, continuity);
  section.copy(packet, 5);
  packet.writeUInt32BE(crc32Mpeg(section), 5 + section.length);
  return packet;
}
