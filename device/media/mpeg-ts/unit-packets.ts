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
}

export function unitPackets({ pid, parts, isKey, clock }: WrittenUnit): Buffer {
  const fieldBytes = clock !== undefined ? 2 + CLOCK_BYTES : isKey ? 2 : 0;
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  const count = Math.ceil((fieldBytes + bytes) / ROOM);
  const packets = Buffer.allocUnsafe(count * PACKET_BYTES);
  const filling = count * ROOM - fieldBytes - bytes;
  const from = { part: 0, at: 0 };
  for (let n = 0; n < count; n += 1) {
    const at = n * PACKET_BYTES;
    packets[at] = 0x47;
    packets[at + 1] = (n === 0 ? 0x40 : 0) | (pid >> 8);
    packets[at + 2] = pid & 0xff;
    const field = (n === 0 ? fieldBytes : 0) + (n === count - 1 ? filling : 0);
    packets[at + 3] = field === 0 ? 0x10 : 0x30;
    if (field > 0) writeField(packets, at + 4, field, n === 0 ? { isKey, clock } : {});
    fill(packets, at + 4 + field, at + PACKET_BYTES, parts, from);
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

function fill(
  packets: Buffer,
  to: number,
  end: number,
  parts: readonly Buffer[],
  from: { part: number; at: number },
): void {
  for (let at = to; at < end;) {
    const part = parts[from.part]!;
    const copied = part.copy(packets, at, from.at, Math.min(part.length, from.at + end - at));
    at += copied;
    from.at += copied;
    if (from.at < part.length) continue;
    from.part += 1;
    from.at = 0;
  }
}
