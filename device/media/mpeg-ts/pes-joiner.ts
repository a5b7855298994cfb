/** Puts the PES units of one track together again (ISO/IEC 13818-1 §2.4.3.6). */
import { hasPayload, PACKET_BYTES, payloadStart, readTime } from './mpeg-ts.ts';

/** Packets of one track; a unit starts only at the beginning. `pts` is in 90 kHz, unwrapped. */
export interface PesPackets {
  bytes: Buffer;
  starts: boolean;
  key: boolean;
  pts: number | undefined;
  /** The unit is known to end here. */
  ends?: boolean;
}

export interface PesUnit {
  pts: number;
  dts: number;
  key: boolean;
  /** The elementary stream. */
  data: Buffer;
}

const PTS_WRAP = 2 ** 33;
/** Bytes 00 00 01, stream id, length, two bytes of flags, and the length of the rest of the header. */
const FIXED_HEADER = 9;

export class PesJoiner {
  private parts: Buffer[] = [];
  private size = 0;
  private first: PesPackets | undefined;

  /** Returns the units that are whole now. One that neither has a length nor is known to end is whole when the next begins. */
  push(packets: PesPackets): PesUnit[] {
    const done: PesUnit[] = [];
    if (packets.starts) {
      done.push(...this.finish());
      this.first = packets;
    }
    if (this.first === undefined) return done;
    const { bytes } = packets;
    for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
      if (!hasPayload(bytes, at)) continue;
      const part = bytes.subarray(payloadStart(bytes, at), at + PACKET_BYTES);
      this.parts.push(part);
      this.size += part.length;
    }
    const length = this.parts[0] !== undefined && this.parts[0].length >= 6 ? this.parts[0].readUInt16BE(4) : 0;
    if (packets.ends === true || (length > 0 && this.size >= 6 + length)) done.push(...this.finish());
    return done;
  }

  /** Returns the last unit as far as it has come. */
  finish(): PesUnit[] {
    const { first } = this;
    const pes = Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    this.first = undefined;
    if (first?.pts === undefined || pes.length < FIXED_HEADER) return [];
    const from = FIXED_HEADER + pes[8]!;
    const hasDts = (pes[7]! & 0xc0) === 0xc0 && pes.length >= 19;
    const ahead = hasDts ? (readTime(pes, 9) - readTime(pes, 14) + PTS_WRAP) % PTS_WRAP : 0;
    return [{ pts: first.pts, dts: first.pts - ahead, key: first.key, data: pes.subarray(from) }];
  }
}
