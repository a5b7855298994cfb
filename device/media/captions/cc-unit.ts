/** Captions in coded frames of a byte stream: SEI of H.264 and HEVC, user data of MPEG-2. */
import { atscUserData, captionsIn, type FrameCaptions } from './cc-data.ts';
import { H264, HEVC, isSei, MPEG2, seiMessages, units, unitType } from '../codecs/sei.ts';
import { elementaryStart, PACKET_BYTES, payloadStart, setContinuity } from '../mpeg-ts/mpeg-ts.ts';

/** payloadType user_data_registered_itu_t_t35, ITU-T H.264 §D.1.6 and H.265 §D.2.6. */
const T35 = 4;
const START_CODE = Buffer.from([0, 0, 0, 1]);
/** NAL units that may stand before a SEI: delimiters and parameter sets. */
const LEADING: Record<number, readonly number[]> = { [H264]: [9, 7, 8], [HEVC]: [35, 32, 33, 34] };

/** User data of MPEG-2 (ISO/IEC 13818-2 table 6-1). */
const USER_DATA = 0xb2;

function holdsCaptions(streamType: number, first: number): boolean {
  return isSei(streamType, first) || (streamType === MPEG2 && first === USER_DATA);
}

/** Tells whether a unit that captions may be in begins before `end` in the packets. It is asked of every picture: nothing is copied. */
export function mayHoldCaptions(streamType: number, packets: Buffer, end: number): boolean {
  for (let at = packets.indexOf(1); at >= 0 && at < end; at = packets.indexOf(1, at + 1)) {
    const zero = byteBefore(packets, at);
    if (packets[zero] !== 0 || packets[byteBefore(packets, zero)] !== 0) continue;
    if (holdsCaptions(streamType, packets[byteBehind(packets, at)] ?? 0)) return true;
  }
  return false;
}

/** Place of the byte of the unit before this one; -1 where there is none, or this one is none of the unit. */
function byteBefore(packets: Buffer, at: number): number {
  let packet = at - (at % PACKET_BYTES);
  const start = elementaryStart(packets, packet);
  if (at !== start) return at > start ? at - 1 : -1;
  do packet -= PACKET_BYTES;
  while (packet >= 0 && elementaryStart(packets, packet) === packet + PACKET_BYTES);
  return packet < 0 ? -1 : packet + PACKET_BYTES - 1;
}

function byteBehind(packets: Buffer, at: number): number {
  let next = at + 1;
  while (next < packets.length && next % PACKET_BYTES === 0) next = elementaryStart(packets, next);
  return next;
}

/** Returns the captions of one frame, in the order they lie in; `data` may be cut short, and the frame's own data need not be there. */
export function frameCaptions(streamType: number, data: Buffer): FrameCaptions[] {
  const captions: FrameCaptions[] = [];
  const starts = [...units(data)];
  starts.forEach((start, i) => {
    const type = unitType(streamType, data[start] ?? 0);
    // The next start code may have a byte more before it, which no SEI and no user data minds.
    const unit = data.subarray(start, starts[i + 1] === undefined ? data.length : starts[i + 1]! - 3);
    if (streamType === MPEG2 && type === USER_DATA) captions.push(captionsIn(unit.subarray(1)));
    if (isSei(streamType, unit[0] ?? 0))
      for (const message of seiMessages(streamType, unit))
        if (message.type === T35) captions.push(captionsIn(message.payload));
  });
  return captions;
}

function escaped(data: Buffer): Buffer {
  const bytes: number[] = [];
  let zeros = 0;
  for (const byte of data) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    bytes.push(byte);
  }
  return Buffer.from(bytes);
}

/** Returns a SEI with `triples` (atscUserData), start code included. */
function captionUnit(streamType: number, triples: Buffer): Buffer {
  const payload = atscUserData(triples);
  const header = streamType === HEVC ? [39 << 1, 1] : [6];
  // rbsp_trailing_bits are a one and zeros.
  const rbsp = Buffer.concat([Buffer.from([T35, payload.length]), payload, Buffer.from([0x80])]);
  return Buffer.concat([START_CODE, Buffer.from(header), escaped(rbsp)]);
}

/**
 * Finds the place for a SEI in the packet in which a PES unit begins: before the first unit that is no delimiter and no parameter set, or
 * as far behind as the packet tells. Undefined when it holds no H.264 or HEVC that begins as ffmpeg's muxer lets it begin.
 */
export function captionPlace(streamType: number, packet: Buffer): number | undefined {
  const leading = LEADING[streamType];
  const pes = payloadStart(packet, 0);
  if (leading === undefined || pes + 9 > PACKET_BYTES) return undefined;
  const from = pes + 9 + packet[pes + 8]!;
  let place: number | undefined;
  for (const start of units(packet.subarray(from, PACKET_BYTES))) {
    const at = from + start;
    // The place is before the start code, with the zero byte that the first units have in front of it.
    if (at - 4 > from) place = packet[at - 4] === 0 ? at - 4 : at - 3;
    if (at < PACKET_BYTES && !leading.includes(unitType(streamType, packet[at]!))) return place;
  }
  return place;
}

/**
 * Returns the packets of a PES unit with captions at `place` of the first one. All other packets stay as they are: the bytes that the SEI
 * pushes out of the first get a packet of their own, so that no unit has to be gathered and no PCR is moved. Continuity counters are left
 * to the caller.
 */
export function withCaptions(streamType: number, packets: Buffer, place: number, triples: Buffer): Buffer {
  const first = packets.subarray(0, PACKET_BYTES);
  const sei = captionUnit(streamType, triples);
  const payload = Buffer.concat([first.subarray(0, place), sei, first.subarray(place)]);
  lengthen(payload, payloadStart(first, 0), sei.length);
  const parts: Buffer[] = [payload.subarray(0, PACKET_BYTES)];
  for (let at = PACKET_BYTES; at < payload.length; at += PACKET_BYTES - 4)
    parts.push(stuffed(first, payload.subarray(at, at + PACKET_BYTES - 4)));
  return Buffer.concat([...parts, packets.subarray(PACKET_BYTES)]);
}

/** PES_packet_length (ISO/IEC 13818-1 §2.4.3.7) may be 0 for video, which means "not told", and becomes so when it gets too large. */
function lengthen(data: Buffer, pes: number, bytes: number): void {
  const length = data.readUInt16BE(pes + 4);
  if (length > 0) data.writeUInt16BE(length + bytes > 0xffff ? 0 : length + bytes, pes + 4);
}

/** Returns a packet that goes on with the unit which begins in `first`. */
function stuffed(first: Buffer, payload: Buffer): Buffer {
  const packet = Buffer.alloc(PACKET_BYTES, 0xff);
  packet.set([first[0]!, first[1]! & ~0x40, first[2]!, first[3]! & 0xc0]);
  const field = PACKET_BYTES - 4 - payload.length;
  packet[3]! |= field > 0 ? 0x30 : 0x10;
  if (field > 0) packet[4] = field - 1;
  if (field > 1) packet[5] = 0;
  packet.set(payload, PACKET_BYTES - payload.length);
  setContinuity(packet, 0, 0);
  return packet;
}
