/**
 * Finds the packets in a transport stream of others (ISO/IEC 13818-1 §2.4.3.2). Behind bytes that are none, a packet counts once the next
 * begins with a sync byte, too. Longer packets, which other carriers have, are told by their length.
 */
import { PACKET_BYTES } from './mpeg-ts.ts';

const SYNC = 0x47;
/** With a time before each (M2TS), and with check bytes behind (DVB). */
const OTHER_SIZES = [192, 204];
/** Sync bytes at one distance that are no accident. */
const PROOF = 4;

export class PacketSync {
  private rest: Buffer = Buffer.alloc(0);
  private isFound = false;
  /** Bytes before the first packet, and between packets. */
  skipped = 0;
  /** The length of packets that are none of ours. */
  otherSize: number | undefined;

  /** Returns runs of whole packets. */
  push(chunk: Buffer): Buffer[] {
    const data = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const runs: Buffer[] = [];
    let at = 0;
    for (;;) {
      if (!this.isFound) at = this.find(data, at);
      if (!this.isFound) break;
      let end = at;
      while (end + PACKET_BYTES <= data.length && data[end] === SYNC) end += PACKET_BYTES;
      if (end > at) runs.push(data.subarray(at, end));
      at = end;
      if (at === data.length || data[at] === SYNC) break;
      this.isFound = false;
    }
    this.rest = Buffer.from(data.subarray(at));
    return runs;
  }

  /** Returns where to go on: at a packet, at what may be one, or at the end. */
  private find(data: Buffer, from: number): number {
    let at = data.indexOf(SYNC, from);
    while (at >= 0 && at + PACKET_BYTES < data.length && !isPacket(data, at)) at = data.indexOf(SYNC, at + 1);
    const to = at < 0 ? data.length : at;
    this.isFound = to + PACKET_BYTES < data.length;
    if (!this.isFound) this.otherSize ??= OTHER_SIZES.find((size) => hasSize(data, from, size));
    this.skipped += to - from;
    return to;
  }
}

function isPacket(data: Buffer, at: number): boolean {
  const second = at + 2 * PACKET_BYTES;
  return data[at + PACKET_BYTES] === SYNC && (second >= data.length || data[second] === SYNC);
}

function hasSize(data: Buffer, from: number, size: number): boolean {
  const places = Array.from({ length: PROOF }, (_, n) => n * size);
  for (let at = from; at < from + size && at + places.at(-1)! < data.length; at += 1)
    if (places.every((place) => data[at + place] === SYNC)) return true;
  return false;
}
