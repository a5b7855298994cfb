/** Writes a PES unit into packets as ffmpeg's muxer does: flags and a clock in the first, filled up at the end alone. */
import { PACKET_BYTES } from './mpeg-ts.ts';
import { writeClock } from './program-clock.ts';

const ROOM = PACKET_BYTES - 4;
const CLOCK_BYTES = 6;

export interface WrittenUnit {
  pid: number;
  /** The unit in parts, its header first. */
  parts: readonly Buffer[];
  /** Decoding can begin with it. */
  isKey: boolean;
  /** Ticks of 90 kHz, 33 bits wide. */
  clock: number | undefined;
  /** Continuity counter of the first packet; left out: 0. */
  counter?: number;
}

export function unitPackets({ pid, parts, isKey, clock, counter = 0 }: WrittenUnit): Buffer {
  const fieldBytes = clock !== undefined ? 2 + CLOCK_BYTES : isKey ? 2 : 0;
  const bytes = lengthOf(parts);
  const count = Math.ceil((fieldBytes + bytes) / ROOM);
  const packets = Buffer.allocUnsafe(count * PACKET_BYTES);
  const filling = count * ROOM - fieldBytes - bytes;
  // The unit stands at the end, and moves forward into its packets: each is behind the place that its bytes come from.
  let from = packets.length - bytes;
  for (let part = 0, at = from; part < parts.length; part += 1) {
    packets.set(parts[part]!, at);
    at += parts[part]!.length;
  }
  for (let n = 0; n < count; n += 1) {
    const at = n * PACKET_BYTES;
    const field = (n === 0 ? fieldBytes : 0) + (n === count - 1 ? filling : 0);
    packets.copyWithin(at + 4 + field, from, from + ROOM - field);
    from += ROOM - field;
    packets[at] = 0x47;
    packets[at + 1] = (n === 0 ? 0x40 : 0) | (pid >> 8);
    packets[at + 2] = pid & 0xff;
    packets[at + 3] = (field === 0 ? 0x10 : 0x30) | ((counter + n) & 0x0f);
    if (field > 0) writeField(packets, at + 4, field, n === 0 ? { isKey, clock } : {});
  }
  return packets;
}

function writeField(packets: Buffer, at: number, bytes: number, head: Partial<WrittenUnit>): void {
  packets[at] = bytes - 1;
  if (bytes === 1) return;
  packets[at + 1] = (head.isKey === true ? 0x40 : 0) | (head.clock === undefined ? 0 : 0x10);
  packets.fill(0xff, at + 2, at + bytes);
  if (head.clock !== undefined) writeClock(packets, at - 4, head.clock * 300);
}

/** Bytes of all parts together. */
export function lengthOf(parts: readonly Buffer[]): number {
  let bytes = 0;
  for (const { length } of parts) bytes += length;
  return bytes;
}
