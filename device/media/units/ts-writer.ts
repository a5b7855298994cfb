/** Writes units as one transport stream with one program (ISO/IEC 13818-1), for one reader: an ffmpeg, or the fan-out of a copy. */
import { PACKET_BYTES, setContinuity } from '../mpeg-ts/mpeg-ts.ts';
import { patPacket, pmtPackets } from '../mpeg-ts/psi.ts';
import { CUE_REGISTRATION, modulo, sectionPackets } from '../mpeg-ts/ts-metadata.ts';
import { TYPES, type Track } from './track.ts';

const FIRST_PID = 0x100;
/** The clock is so much earlier than the decoding time of the unit that carries it. */
const CLOCK_AHEAD_TICKS = 9000;
const MAX_PES_LENGTH = 0xffff;
const HEADER_BYTES = 4;
/** Length, flags and PCR of an adaptation field. */
const CLOCK_BYTES = 8;

/** Ticks of 90 kHz that may count on past the wrap; `pts` is undefined where the unit has none. */
export interface UnitTimes {
  pts: number | undefined;
  dts: number;
}

interface TsWriterOptions {
  program?: number;
  /** Left out: they are numbered from FIRST_PID. */
  pids?: readonly number[];
  clockAheadTicks?: number;
}

export class TsWriter {
  private readonly tracks: readonly Track[];
  private readonly program: number;
  private readonly pids: readonly number[];
  private readonly clockAheadTicks: number;
  private readonly clockIndex: number;
  private readonly counters: number[];

  constructor(tracks: readonly Track[], options: TsWriterOptions = {}) {
    const { program = 1, pids, clockAheadTicks = CLOCK_AHEAD_TICKS } = options;
    this.tracks = tracks;
    this.program = program;
    this.pids = pids ?? tracks.map((_, i) => FIRST_PID + i);
    this.clockAheadTicks = clockAheadTicks;
    this.clockIndex = Math.max(0, ...[tracks.findIndex(({ kind }) => kind === 'video')]);
    this.counters = tracks.map(() => 0);
  }

  /** The tables, with which a reader begins. Throws RangeError for more tracks than they hold. */
  tables(): Buffer {
    const streams = this.tracks.map(({ type, descriptors }, i) => ({ pid: this.pids[i]!, type, descriptors }));
    const hasCues = streams.some(({ type }) => type === TYPES.cue);
    const program = hasCues ? CUE_REGISTRATION : Buffer.alloc(0);
    const pmt = pmtPackets(streams, this.pids[this.clockIndex]!, 0, program, { number: this.program });
    return Buffer.concat([patPacket(0, this.program), pmt]);
  }

  unit(index: number, times: UnitTimes, key: boolean, data: Buffer): Buffer {
    const track = this.tracks[index]!;
    const counter = this.counters[index]!;
    const pid = this.pids[index]!;
    const packets =
      track.kind === 'section'
        ? sectionPackets(pid, data, counter)
        : pesPackets(pid, pesUnit(track, times, data), counter, {
            key,
            clock: index === this.clockIndex ? times.dts - this.clockAheadTicks : undefined,
          });
    this.counters[index] = (counter + packets.length / PACKET_BYTES) & 15;
    return packets;
  }
}

function pesUnit({ streamId, kind }: Track, { pts, dts }: UnitTimes, data: Buffer): Buffer {
  const hasDts = pts !== undefined && pts !== dts;
  const times = pts === undefined ? [] : hasDts ? [time(3, pts), time(1, dts)] : [time(2, pts)];
  const flags = pts === undefined ? 0 : hasDts ? 0xc0 : 0x80;
  const rest = times.length * 5;
  const length = 3 + rest + data.length;
  const head = Buffer.from([0, 0, 1, streamId, 0, 0, 0x84, flags, rest]);
  // A length of 0 is allowed for video alone, of any length.
  if (kind !== 'video' || length <= MAX_PES_LENGTH) head.writeUInt16BE(Math.min(length, MAX_PES_LENGTH), 4);
  return Buffer.concat([head, ...times, data]);
}

/** 33 bits with a marker bit after every part. */
function time(prefix: number, ticks: number): Buffer {
  const value = modulo(Math.round(ticks));
  const bytes = Buffer.from([(prefix << 4) | (Math.floor(value / 2 ** 30) << 1) | 1, 0, 0, 0, 0]);
  bytes.writeUInt16BE(((Math.floor(value / 2 ** 15) & 0x7fff) << 1) | 1, 1);
  bytes.writeUInt16BE(((value & 0x7fff) << 1) | 1, 3);
  return bytes;
}

/** The first packet carries clock and mark of a keyframe, the last one is filled up before its payload (§2.4.3.5). */
function pesPackets(
  pid: number,
  unit: Buffer,
  continuity: number,
  { key, clock }: { key: boolean; clock: number | undefined },
): Buffer {
  const hasField = key || clock !== undefined;
  const fieldBytes = clock !== undefined ? CLOCK_BYTES : hasField ? 2 : 0;
  const room = PACKET_BYTES - HEADER_BYTES;
  const count = Math.max(1, Math.ceil((unit.length + fieldBytes) / room));
  const packets = Buffer.alloc(count * PACKET_BYTES, 0xff);
  let from = 0;
  for (let n = 0; n < count; n += 1) {
    const at = n * PACKET_BYTES;
    const own = n === 0 ? fieldBytes : 0;
    const payload = Math.min(room - own, unit.length - from);
    const field = room - payload;
    packets.set([0x47, (n === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, field > 0 ? 0x30 : 0x10], at);
    setContinuity(packets, at, continuity + n);
    if (field > 0) packets[at + 4] = field - 1;
    if (field > 1) packets[at + 5] = n === 0 ? (key ? 0x40 : 0) | (clock === undefined ? 0 : 0x10) : 0;
    if (n === 0 && clock !== undefined) writeClock(packets, at + 6, clock);
    unit.copy(packets, at + HEADER_BYTES + field, from, from + payload);
    from += payload;
  }
  return packets;
}

function writeClock(packets: Buffer, at: number, ticks: number): void {
  const base = modulo(Math.round(ticks));
  packets.writeUInt32BE(Math.floor(base / 2), at);
  packets[at + 4] = ((base % 2) << 7) | 0x7e;
  packets[at + 5] = 0;
}
