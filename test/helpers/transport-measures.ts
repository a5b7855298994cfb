/**
 * Measures of a transport stream as a broadcast receiver takes them (ETSI TR 101 290 §5.2): by its own reading of the packets, and by the times
 * at which they came where these are known. All in milliseconds.
 */
const PACKET_BYTES = 188;
const CLOCK_WRAP = 2 ** 33 * 300;

export interface TransportMeasures {
  /** The longest stretches of the program's time without a table, and without a clock reference. */
  longestWithoutPat: number;
  longestWithoutPmt: number;
  longestWithoutClock: number;
  /** The shortest time by which the last byte of an access unit comes before it is to be decoded. */
  minAheadMs: number;
  units: number;
}

interface Unit {
  pid: number;
  decodeMs: number;
  /** Program time at which its last byte has come. */
  endMs: number;
}

export function measureTransport(data: Buffer): TransportMeasures {
  const clockPid = clockPidOf(data);
  const clocks: { at: number; ms: number }[] = [];
  for (let at = 0; at + PACKET_BYTES <= data.length; at += PACKET_BYTES) {
    const ms = pidOf(data, at) === clockPid ? clockOf(data, at) : undefined;
    if (ms !== undefined) clocks.push({ at, ms });
  }
  const gaps = clocks.slice(1).map(({ ms }, i) => ms - clocks[i]!.ms);
  /** Between two references bytes come at an even rate (ISO/IEC 13818-1 §2.4.2.2). */
  const timeAt = (at: number): number | undefined => {
    const next = clocks.findIndex((clock) => clock.at > at);
    if (next <= 0) return undefined;
    const [a, b] = [clocks[next - 1]!, clocks[next]!];
    return a.ms + ((b.ms - a.ms) * (at - a.at)) / (b.at - a.at);
  };
  const tables = new Map<number, number[]>();
  const units: Unit[] = [];
  const open = new Map<number, Unit>();
  const pmtPid = pmtPidOf(data);
  for (let at = 0; at + PACKET_BYTES <= data.length; at += PACKET_BYTES) {
    const pid = pidOf(data, at);
    const ms = timeAt(at);
    if (ms === undefined) continue;
    if (pid === 0 || pid === pmtPid) tables.set(pid, [...(tables.get(pid) ?? []), ms]);
    const payload = payloadOf(data, at);
    if (payload === undefined) continue;
    if ((data[at + 1]! & 0x40) !== 0) {
      const decodeMs = decodeTimeOf(data, payload);
      if (decodeMs === undefined) continue;
      const unit = { pid, decodeMs, endMs: ms };
      open.set(pid, unit);
      units.push(unit);
    } else if (open.has(pid)) open.get(pid)!.endMs = ms;
  }
  const longest = (times: readonly number[] = []): number => Math.max(...times.slice(1).map((ms, i) => ms - times[i]!));
  return {
    longestWithoutPat: longest(tables.get(0)),
    longestWithoutPmt: longest(tables.get(pmtPid)),
    longestWithoutClock: Math.max(...gaps),
    minAheadMs: Math.min(...units.map(({ decodeMs, endMs }) => decodeMs - endMs)),
    units: units.length,
  };
}

function pidOf(data: Buffer, at: number): number {
  return data.readUInt16BE(at + 1) & 0x1fff;
}

function payloadOf(data: Buffer, at: number): number | undefined {
  const control = (data[at + 3]! >> 4) & 3;
  if ((control & 1) === 0) return undefined;
  return at + 4 + (control === 3 ? 1 + data[at + 4]! : 0);
}

function clockOf(data: Buffer, at: number): number | undefined {
  if ((data[at + 3]! & 0x20) === 0 || data[at + 4]! === 0 || (data[at + 5]! & 0x10) === 0) return undefined;
  const bits = BigInt(`0x${data.toString('hex', at + 6, at + 12)}`);
  const ticks = Number(bits >> 15n) * 300 + Number(bits & 0x1ffn);
  // A clock behind the beginning of time has wrapped.
  return (ticks > CLOCK_WRAP / 2 ? ticks - CLOCK_WRAP : ticks) / 27_000;
}

/** DTS, or PTS where they are equal. */
function decodeTimeOf(data: Buffer, at: number): number | undefined {
  if (data.readUIntBE(at, 3) !== 1) return undefined;
  const flags = data[at + 7]! >> 6;
  if ((flags & 2) === 0) return undefined;
  const from = at + 9 + (flags === 3 ? 5 : 0);
  const bits = BigInt(`0x${data.toString('hex', from, from + 5)}`);
  const ticks = Number((((bits >> 33n) & 7n) << 30n) | (((bits >> 17n) & 0x7fffn) << 15n) | ((bits >> 1n) & 0x7fffn));
  return ticks / 90;
}

/** The payload of the first section of a table. */
function sectionOf(data: Buffer, pid: number): Buffer | undefined {
  for (let at = 0; at + PACKET_BYTES <= data.length; at += PACKET_BYTES)
    if (pidOf(data, at) === pid && (data[at + 1]! & 0x40) !== 0)
      return data.subarray(at + 5 + data[at + 4]!, at + PACKET_BYTES);
  return undefined;
}

function pmtPidOf(data: Buffer): number {
  const pat = sectionOf(data, 0);
  if (pat === undefined) throw new Error('There is no PAT.');
  return pat.readUInt16BE(10) & 0x1fff;
}

function clockPidOf(data: Buffer): number {
  const pmt = sectionOf(data, pmtPidOf(data));
  if (pmt === undefined) throw new Error('There is no PMT.');
  return pmt.readUInt16BE(8) & 0x1fff;
}
