/** Writes units as one transport stream with one program (ISO/IEC 13818-1), for one reader: an ffmpeg, or the fan-out of a copy. */
import { PACKET_BYTES, setContinuity } from '../mpeg-ts/mpeg-ts.ts';
import { patPacket, pmtPackets } from '../mpeg-ts/psi.ts';
import { CUE_REGISTRATION, modulo, sectionPackets } from '../mpeg-ts/ts-metadata.ts';
import { unitPackets } from '../mpeg-ts/unit-packets.ts';
import { TYPES, type Track } from './track.ts';

const FIRST_PID = 0x100;
/** The clock is so much earlier than the decoding time of the unit that carries it. */
const CLOCK_AHEAD_TICKS = 9000;
const MAX_PES_LENGTH = 0xffff;

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
        : unitPackets({
            pid,
            parts: pesParts(track, times, data),
            isKey: key,
            clock: index === this.clockIndex ? modulo(Math.round(times.dts - this.clockAheadTicks)) : undefined,
          });
    if (track.kind !== 'section')
      for (let at = 0; at < packets.length; at += PACKET_BYTES) setContinuity(packets, at, counter + at / PACKET_BYTES);
    this.counters[index] = (counter + packets.length / PACKET_BYTES) & 15;
    return packets;
  }
}

function pesParts({ streamId, kind }: Track, { pts, dts }: UnitTimes, data: Buffer): Buffer[] {
  const hasDts = pts !== undefined && pts !== dts;
  const times = pts === undefined ? [] : hasDts ? [time(3, pts), time(1, dts)] : [time(2, pts)];
  const flags = pts === undefined ? 0 : hasDts ? 0xc0 : 0x80;
  const rest = times.length * 5;
  const length = 3 + rest + data.length;
  const head = Buffer.from([0, 0, 1, streamId, 0, 0, 0x84, flags, rest]);
  // A length of 0 is allowed for video alone, of any length.
  if (kind !== 'video' || length <= MAX_PES_LENGTH) head.writeUInt16BE(Math.min(length, MAX_PES_LENGTH), 4);
  return [head, ...times, data];
}

/** 33 bits with a marker bit after every part. */
function time(prefix: number, ticks: number): Buffer {
  const value = modulo(Math.round(ticks));
  const bytes = Buffer.from([(prefix << 4) | (Math.floor(value / 2 ** 30) << 1) | 1, 0, 0, 0, 0]);
  bytes.writeUInt16BE(((Math.floor(value / 2 ** 15) & 0x7fff) << 1) | 1, 1);
  bytes.writeUInt16BE(((value & 0x7fff) << 1) | 1, 3);
  return bytes;
}
