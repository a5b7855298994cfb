/** MPEG transport stream packets, ISO/IEC 13818-1 §2.4.3. Times are ticks of 90 kHz. */
export const PACKET_BYTES = 188;
const SYNC = 0x47;
export const TICKS_PER_SECOND = 90_000;
/** PTS and DTS are 33 bits wide: they start again after 26.5 hours. */
const PTS_WRAP = 2 ** 33;

export function pidOf(data: Buffer, at: number): number {
  return ((data[at + 1]! & 0x1f) << 8) | data[at + 2]!;
}

export function startsUnit(data: Buffer, at: number): boolean {
  return (data[at + 1]! & 0x40) !== 0;
}

/** random_access_indicator: ffmpeg's muxer sets it on the first packet of each keyframe, and of every audio unit. */
export function isRandomAccess(data: Buffer, at: number): boolean {
  return (data[at + 3]! & 0x20) !== 0 && data[at + 4]! > 0 && (data[at + 5]! & 0x40) !== 0;
}

export function hasPayload(data: Buffer, at: number): boolean {
  return (data[at + 3]! & 0x10) !== 0;
}

/** Returns the position of the packet's payload; equal to the packet's end when it has none. */
export function payloadStart(data: Buffer, at: number): number {
  if (!hasPayload(data, at)) return at + PACKET_BYTES;
  return (data[at + 3]! & 0x20) === 0 ? at + 4 : Math.min(at + PACKET_BYTES, at + 5 + data[at + 4]!);
}

/**
 * Tells whether this packet is the last of its unit: a packet is filled up for nothing else by ffmpeg's muxer. One that a unit ends in
 * without being filled up is not known by this.
 */
export function isFilledUp(data: Buffer, at: number): boolean {
  if ((data[at + 3]! & 0x30) !== 0x30) return false;
  const length = data[at + 4]!;
  // Flags, and PCR where there is one; in the middle of a unit there is neither.
  const used = startsUnit(data, at) ? 1 + ((data[at + 5]! & 0x10) === 0 ? 0 : 6) : 0;
  return length > used || !startsUnit(data, at);
}

export function setContinuity(data: Buffer, at: number, counter: number): void {
  data[at + 3] = (data[at + 3]! & 0xf0) | (counter & 0x0f);
}

/** Sets discontinuity_indicator (§2.4.3.5), where the packet has the field for it. */
export function setDiscontinuity(data: Buffer, at: number): void {
  if ((data[at + 3]! & 0x20) !== 0 && data[at + 4]! > 0) data[at + 5]! |= 0x80;
}

/** Reads the PTS of the PES unit that begins in this packet; undefined when there is none. ISO/IEC 13818-1 §2.4.3.7. */
export function readPts(data: Buffer, at: number): number | undefined {
  const pes = payloadStart(data, at);
  if (pes + 14 > at + PACKET_BYTES || data[pes] !== 0 || data[pes + 1] !== 0 || data[pes + 2] !== 1) return undefined;
  if ((data[pes + 7]! & 0x80) === 0) return undefined;
  return readTime(data, pes + 9);
}

/** Reads the 33 bits of a time, with a marker bit after every part. */
export function readTime(pes: Buffer, at: number): number {
  const high = (pes[at]! >> 1) & 0x07;
  return high * 2 ** 30 + (pes.readUInt16BE(at + 1) >> 1) * 2 ** 15 + (pes.readUInt16BE(at + 3) >> 1);
}

/** Returns the PES payload of the packet: the bytes behind the PES header when a unit starts here. */
export function elementaryBytes(data: Buffer, at: number): Buffer {
  return data.subarray(elementaryStart(data, at), at + PACKET_BYTES);
}

/** Returns where these bytes begin; the end of the packet when it has none. */
export function elementaryStart(data: Buffer, at: number): number {
  let from = payloadStart(data, at);
  if (startsUnit(data, at) && from + 9 <= at + PACKET_BYTES) from += 9 + data[from + 8]!;
  return Math.min(from, at + PACKET_BYTES);
}

/** Makes 33-bit times of one stream count on past the wrap. */
export class Unwrapper {
  private last: number | undefined;

  /** `near` is about the first time, when that may be past a wrap already. */
  constructor(near?: number) {
    this.last = near;
  }

  unwrap(pts: number): number {
    if (this.last === undefined) return (this.last = pts);
    const turns = Math.round((this.last - pts) / PTS_WRAP);
    return (this.last = pts + turns * PTS_WRAP);
  }
}

const NONE = Buffer.alloc(0);

/** Cuts a byte stream into whole packets; behind bytes that are none (a killed writer's half packet) it finds the next sync byte. */
export class PacketSplitter {
  private rest: Buffer = NONE;

  /** Returns whole, aligned packets; the buffer belongs to the caller, who may write to it. */
  push(chunk: Buffer): Buffer {
    const data = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let from = 0;
    while (from < data.length && data[from] !== SYNC) from += 1;
    const end = from + this.wholeFrom(data, from);
    this.rest = end === data.length ? NONE : Buffer.from(data.subarray(end));
    return data.subarray(from, end);
  }

  /** Forgets a half packet: the next byte comes from another process. */
  reset(): void {
    this.rest = NONE;
  }

  /** Length of the run of packets at `from` that begin with a sync byte. */
  private wholeFrom(data: Buffer, from: number): number {
    let length = 0;
    while (from + length + PACKET_BYTES <= data.length && data[from + length] === SYNC) length += PACKET_BYTES;
    return length;
  }
}
