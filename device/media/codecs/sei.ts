/** Units of a byte stream that tell something about its pictures beside their parameter sets: SEI of H.264 and HEVC. */

/** stream_type, ISO/IEC 13818-1 table 2-34. */
export const [MPEG2, H264, HEVC] = [0x02, 0x1b, 0x24] as const;
const SEI: Record<number, readonly number[]> = { [H264]: [6], [HEVC]: [39, 40] };

export interface SeiMessage {
  /** payloadType, ITU-T H.264 §D.1.1 and H.265 §D.2.1. */
  type: number;
  payload: Buffer;
}

export function unitType(streamType: number, first: number): number {
  if (streamType === H264) return first & 0x1f;
  return streamType === HEVC ? (first >> 1) & 0x3f : first;
}

export function isSei(streamType: number, first: number): boolean {
  return SEI[streamType]?.includes(unitType(streamType, first)) === true;
}

/** Yields the offset behind each start code. */
export function* units(data: Buffer): Generator<number> {
  for (let at = data.indexOf(1); at >= 0; at = data.indexOf(1, at + 1))
    if (at >= 2 && data[at - 1] === 0 && data[at - 2] === 0) yield at + 1;
}

/** Reads the messages of a unit without its start code, ITU-T H.264 §7.3.2.3.1. */
export function seiMessages(streamType: number, unit: Buffer): SeiMessage[] {
  const data = unescaped(unit.subarray(streamType === HEVC ? 2 : 1));
  const messages: SeiMessage[] = [];
  let at = 0;
  const number = (): number => {
    let value = 0;
    while (data[at] === 0xff) value += data[at++]!;
    return value + (data[at++] ?? 0);
  };
  while (at + 2 < data.length) {
    const type = number();
    const size = number();
    messages.push({ type, payload: data.subarray(at, at + size) });
    at += size;
  }
  return messages;
}

/** Takes out emulation prevention, ITU-T H.264 §7.3.1. */
function unescaped(data: Buffer): Buffer {
  if (!data.includes('\0\0\x03', 0, 'latin1')) return data;
  const bytes: number[] = [];
  let zeros = 0;
  for (const byte of data) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    bytes.push(byte);
  }
  return Buffer.from(bytes);
}
