/** Program maps of a transport stream, ISO/IEC 13818-1 §2.4.4, as a test reads and writes them. */
import { crc32Mpeg, type ElementaryStream } from '../../device/media/mpeg-ts/psi.ts';

/** A PMT as it is sent, ISO/IEC 13818-1 §2.4.4.8. */
export interface ProgramMap {
  programNumber: number;
  /** 0–31; a receiver reads a PMT again when it changes. */
  version: number;
  pcrPid: number;
  /** Descriptors of the whole program. */
  descriptors: Buffer;
  streams: ElementaryStream[];
}

/** Undefined for a section that is no PMT, is not valid yet (current_next_indicator), or contradicts its own lengths. */
export function readProgramMap(section: Buffer): ProgramMap | undefined {
  if (section[0] !== 0x02 || section.length < 16 || (section[5]! & 1) === 0) return undefined;
  const end = section.length - 4;
  let at = 12 + (section.readUInt16BE(10) & 0x0fff);
  if (at > end) return undefined;
  const descriptors = Buffer.from(section.subarray(12, at));
  const streams: ElementaryStream[] = [];
  while (at < end) {
    const next = at + 5 <= end ? at + 5 + (section.readUInt16BE(at + 3) & 0x0fff) : end + 1;
    if (next > end) return undefined;
    const pid = section.readUInt16BE(at + 1) & 0x1fff;
    streams.push({ pid, type: section[at]!, descriptors: Buffer.from(section.subarray(at + 5, next)) });
    at = next;
  }
  return {
    programNumber: section.readUInt16BE(3),
    version: (section[5]! >> 1) & 31,
    pcrPid: section.readUInt16BE(8) & 0x1fff,
    descriptors,
    streams,
  };
}

/** The section with its CRC. Throws RangeError when it is longer than the 1021 bytes that §2.4.4.9 allows. */
export function programMapSection(map: ProgramMap): Buffer {
  const { programNumber, version, pcrPid, descriptors, streams } = map;
  const body = Buffer.concat([
    ...[uint16(programNumber), Buffer.from([0xc0 | ((version & 31) << 1) | 1, 0, 0]), uint16(0xe000 | pcrPid)],
    ...[uint16(0xf000 | descriptors.length), descriptors],
    ...streams.flatMap((stream) => [
      ...[Buffer.from([stream.type]), uint16(0xe000 | stream.pid)],
      ...[uint16(0xf000 | stream.descriptors.length), stream.descriptors],
    ]),
  ]);
  const length = body.length + 4;
  if (length > 1021) throw new RangeError(`A program map of ${length} bytes is longer than 1021.`);
  const section = Buffer.concat([Buffer.from([0x02]), uint16(0xb000 | length), body, Buffer.alloc(4)]);
  section.writeUInt32BE(crc32Mpeg(section.subarray(0, -4)), section.length - 4);
  return section;
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
