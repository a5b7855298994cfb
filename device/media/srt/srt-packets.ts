/** Control packets of a receiver of SRT (draft-sharabayko-srt-01 §3.2), and sequence numbers, which have 31 bits. */

export const HEADER_BYTES = 16;
const CONTROL = 0x8000;
const TYPES = { keepalive: 1, ack: 2, nak: 3, shutdown: 5, ackAck: 6, drop: 7 } as const;
export type ControlType = keyof typeof TYPES;
const BY_NUMBER = new Map(Object.entries(TYPES).map(([name, number]) => [number as number, name as ControlType]));
/** The words of loss lists that a datagram holds. */
const MAX_LOSS_WORDS = 364;
const IS_RANGE = 0x8000_0000;

/** From `b` on to `a`; negative where `a` is before it. */
export function sequenceDifference(a: number, b: number): number {
  return ((a - b) << 1) >> 1;
}

export function sequenceAfter(sequence: number, by = 1): number {
  return (sequence + by) & 0x7fff_ffff;
}

/** Undefined for media, and for what a receiver does nothing about. */
export function controlTypeOf(packet: Buffer): ControlType | undefined {
  if (packet.length < HEADER_BYTES || packet[0]! < 0x80) return undefined;
  return BY_NUMBER.get(packet.readUInt16BE(0) & ~CONTROL);
}

/** The socket that a control packet is for, and the microseconds since the connection began. */
export interface Sending {
  socketId: number;
  microseconds: number;
}

/** `words` follow the header; `information` is the field that means something else for each type. */
export function controlPacket(
  type: ControlType,
  { socketId, microseconds }: Sending,
  words: readonly number[] = [0],
  information = 0,
): Buffer {
  const packet = Buffer.allocUnsafe(HEADER_BYTES + 4 * words.length);
  packet.writeUInt32BE(((CONTROL | TYPES[type]) << 16) >>> 0, 0);
  packet.writeUInt32BE(information, 4);
  packet.writeUInt32BE(Math.floor(microseconds) % 0x1_0000_0000, 8);
  packet.writeUInt32BE(socketId, 12);
  for (const [at, word] of words.entries()) packet.writeUInt32BE(word >>> 0, HEADER_BYTES + 4 * at);
  return packet;
}

/** Sequence numbers from the first to the last. */
export type SequenceRange = readonly [first: number, last: number];

/** The words of a loss list. What does not fit is asked for the next time. */
export function lossList(ranges: readonly SequenceRange[]): number[] {
  const words: number[] = [];
  for (const [first, last] of ranges) {
    if (words.length + 2 > MAX_LOSS_WORDS) break;
    if (first === last) words.push(first);
    else words.push((first | IS_RANGE) >>> 0, last);
  }
  return words;
}

/** The packets that the sender sends no more; undefined for what is cut short. */
export function readDropRequest(packet: Buffer): SequenceRange | undefined {
  if (packet.length < HEADER_BYTES + 8) return undefined;
  return [packet.readUInt32BE(HEADER_BYTES) & 0x7fff_ffff, packet.readUInt32BE(HEADER_BYTES + 4) & 0x7fff_ffff];
}
