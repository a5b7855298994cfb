/** The header of a PES unit (ISO/IEC 13818-1 §2.4.3.6): its times, and where its bytes lie. */
import { readTime } from './mpeg-ts.ts';

/** Bytes 00 00 01, stream id, length, two bytes of flags, and the length of the rest of the header. */
export const FIXED_HEADER = 9;
const PREFIX = 1;
const TIME_BYTES = 5;

export interface PesHeader {
  /** Bytes of the header. */
  bytes: number;
  /** Bytes of the whole unit as it says itself; 0 for a picture of unknown length. */
  unitBytes: number;
  pts: number | undefined;
  dts: number | undefined;
  isScrambled: boolean;
}

/** Reads a unit that begins at `at` and goes on to `end`; undefined for what is none, or no more than its first bytes. */
export function readPesHeader(data: Buffer, at: number, end: number): PesHeader | undefined {
  if (at + FIXED_HEADER > end || data.readUIntBE(at, 3) !== PREFIX || (data[at + 6]! & 0xc0) !== 0x80) return undefined;
  const length = data.readUInt16BE(at + 4);
  const times = data[at + 7]! >> 6;
  const room = data[at + 8]!;
  const [hasPts, hasDts] = [times >= 2 && room >= TIME_BYTES, times === 3 && room >= 2 * TIME_BYTES];
  const isHere = at + FIXED_HEADER + room <= end;
  return {
    bytes: FIXED_HEADER + room,
    unitBytes: length === 0 ? 0 : length + 6,
    pts: hasPts && isHere ? readTime(data, at + FIXED_HEADER) : undefined,
    dts: hasDts && isHere ? readTime(data, at + FIXED_HEADER + TIME_BYTES) : undefined,
    isScrambled: (data[at + 6]! & 0x30) !== 0,
  };
}

/** Writes other times in the place of those that the header has. They are 33 bits wide. */
export function writePesTimes(pes: Buffer, pts: number, dts: number): void {
  const hasDts = pes[7]! >> 6 === 3 && pes[8]! >= 2 * TIME_BYTES;
  writeTime(pes, FIXED_HEADER, hasDts ? 3 : 2, pts);
  if (hasDts) writeTime(pes, FIXED_HEADER + TIME_BYTES, 1, dts);
}

/** Returns the header of a unit of `bytes` with a PTS alone. */
export function soundHeader(streamId: number, bytes: number, pts: number): Buffer {
  const length = bytes + 3 + TIME_BYTES;
  const header = Buffer.from([0, 0, 1, streamId, length >> 8, length & 0xff, 0x84, 0x80, TIME_BYTES, 0, 0, 0, 0, 0]);
  writeTime(header, FIXED_HEADER, 2, pts);
  return header;
}

function writeTime(data: Buffer, at: number, prefix: number, ticks: number): void {
  const high = Math.floor(ticks / 2 ** 30) & 7;
  data[at] = (prefix << 4) | (high << 1) | 1;
  data.writeUInt16BE((((Math.floor(ticks / 2 ** 15) & 0x7fff) << 1) | 1) >>> 0, at + 1);
  data.writeUInt16BE((((ticks % 2 ** 15) << 1) | 1) >>> 0, at + 3);
}
