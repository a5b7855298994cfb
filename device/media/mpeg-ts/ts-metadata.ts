/** Cues (SCTE 35) and timed metadata (ID3) in a transport stream: the entries in its program map, and packets. */
import { PACKET_BYTES, setContinuity } from './mpeg-ts.ts';
import type { ElementaryStream } from './psi.ts';

/** SCTE 35 §8.2. */
export const CUE_STREAM_TYPE = 0x86;
/** Metadata in PES packets, ISO/IEC 13818-1 table 2-34. */
export const ID3_STREAM_TYPE = 0x15;
/** PIDs behind those that ffmpeg's muxer takes. */
export const CUE_PID = 0x1f0;
export const ID3_PID = 0x1f1;
const TICKS_WRAP = 2 ** 33;
/** ISO/IEC 13818-1 §2.4.4.11: 12 bits of length, and three bytes before. */
const MAX_SECTION_BYTES = 4098;
const STUFFING = 0xff;

/** registration_descriptor "CUEI", SCTE 35 §8.1: without it in the program loop, 0x86 means DTS audio to a receiver. */
export const CUE_REGISTRATION = Buffer.from('050443554549', 'hex');
/** cue_identifier_descriptor, SCTE 35 §8.2, for any command. */
export const CUE_IDENTIFIER = Buffer.from('8a0101', 'hex');
/** metadata_descriptor, ISO/IEC 13818-1 §2.6.60: format and application "ID3 ", service 0, no decoder configuration. */
export const ID3_METADATA = Buffer.from('260dffff49443320ff49443320000f', 'hex');
/** metadata_pointer_descriptor, §2.6.58: the metadata is in the program whose number follows. */
export const ID3_POINTER = Buffer.from('250fffff49443320ff49443320001f', 'hex');

/** Both streams in program 1. They are announced for the whole life of a stream: a program map that changes makes some receivers begin anew. */
export const METADATA_STREAMS: readonly ElementaryStream[] = [
  { pid: CUE_PID, type: CUE_STREAM_TYPE, descriptors: CUE_IDENTIFIER },
  { pid: ID3_PID, type: ID3_STREAM_TYPE, descriptors: ID3_METADATA },
];
export const METADATA_DESCRIPTORS = Buffer.concat([CUE_REGISTRATION, ID3_POINTER, Buffer.from([0, 1])]);

/** Returns the packets of a tag (id3Tag) as one PES unit. `pts` may count on past the wrap. Throws RangeError for a tag that is too long. */
export function id3Packets(pid: number, tag: Buffer, pts: number, continuity: number): Buffer {
  return pesPackets(pid, pesUnit(tag, modulo(pts)), continuity);
}

/** Returns the 33 bits of a time. */
export function modulo(ticks: number): number {
  return ticks - Math.floor(ticks / TICKS_WRAP) * TICKS_WRAP;
}

/** Returns private_stream_1 with a PTS and data_alignment_indicator, for a whole tag (ISO/IEC 13818-1 §2.4.3.6 and §2.12.3). Throws RangeError for one that is too long. */
export function pesUnit(payload: Buffer, pts: number): Buffer {
  const length = 3 + 5 + payload.length;
  if (length > 0xffff) throw new RangeError(`A tag of ${payload.length} bytes is longer than a PES unit.`);
  const high = Math.floor(pts / 2 ** 30) & 7;
  const middle = Math.floor(pts / 2 ** 15) & 0x7fff;
  const head = Buffer.from([0, 0, 1, 0xbd, length >> 8, length & 0xff, 0x84, 0x80, 5, 0x21 | (high << 1), 0, 0, 0, 0]);
  head.writeUInt16BE((middle << 1) | 1, 10);
  head.writeUInt16BE(((pts & 0x7fff) << 1) | 1, 12);
  return Buffer.concat([head, payload]);
}

/** Unlike sections, a PES unit is filled up with an adaptation field before the payload of its last packet (§2.4.3.5). */
function pesPackets(pid: number, unit: Buffer, continuity: number): Buffer {
  const packets: Buffer[] = [];
  for (let from = 0; from < unit.length; from += PACKET_BYTES - 4) {
    const part = unit.subarray(from, from + PACKET_BYTES - 4);
    const packet = Buffer.alloc(PACKET_BYTES, 0xff);
    const stuffing = PACKET_BYTES - 4 - part.length;
    packet.set([0x47, (from === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, stuffing === 0 ? 0x10 : 0x30]);
    setContinuity(packet, 0, continuity + packets.length);
    if (stuffing > 0) packet[4] = stuffing - 1;
    if (stuffing > 1) packet[5] = 0;
    part.copy(packet, 4 + stuffing);
    packets.push(packet);
  }
  return Buffer.concat(packets);
}

/** Cuts a section into packets of one PID; `continuity` is the counter of the first one. Throws RangeError for a section that is too long. */
export function sectionPackets(pid: number, section: Buffer, continuity: number): Buffer {
  if (section.length > MAX_SECTION_BYTES)
    throw new RangeError(`A section of ${section.length} bytes is longer than ${MAX_SECTION_BYTES}.`);
  const payload = Buffer.concat([Buffer.from([0]), section]);
  const count = Math.ceil(payload.length / (PACKET_BYTES - 4));
  const packets = Buffer.alloc(count * PACKET_BYTES, STUFFING);
  for (let i = 0; i < count; i += 1) {
    const at = i * PACKET_BYTES;
    packets.set([0x47, (i === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x10], at);
    setContinuity(packets, at, continuity + i);
    payload.copy(packets, at + 4, i * (PACKET_BYTES - 4), (i + 1) * (PACKET_BYTES - 4));
  }
  return packets;
}
