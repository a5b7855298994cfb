/** Transport streams with their sync bytes and checksums put right: mutations hit what lies behind them. */
import { PACKET_BYTES, payloadStart, startsUnit } from '../../device/media/mpeg-ts/mpeg-ts.ts';
import { crc32Mpeg } from '../../device/media/mpeg-ts/psi.ts';

export function mended(bytes: Buffer): Buffer {
  const data = Buffer.from(bytes);
  for (let at = 0; at + PACKET_BYTES <= data.length; at += PACKET_BYTES) {
    data[at] = 0x47;
    const pointer = payloadStart(data, at);
    if (!startsUnit(data, at) || pointer >= at + PACKET_BYTES) continue;
    const from = pointer + 1 + data[pointer]!;
    mendSection(data.subarray(Math.min(from, at + PACKET_BYTES), at + PACKET_BYTES));
  }
  return data;
}

/** In place; a section that is not all there stays as it is. */
export function mendSection(section: Buffer): void {
  if (section.length < 3) return;
  const length = 3 + (section.readUInt16BE(1) & 0x0fff);
  if (length < 8 || length > section.length) return;
  section.writeUInt32BE(crc32Mpeg(section.subarray(0, length - 4)), length - 4);
}
