/** Writes units as one transport stream with one program (ISO/IEC 13818-1), for one reader: an ffmpeg, or the fan-out of a copy. */
import { PACKET_BYTES } from '../mpeg-ts/mpeg-ts.ts';
import { patPacket, pmtPackets } from '../mpeg-ts/psi.ts';
import { CUE_REGISTRATION, modulo, sectionPackets } from '../mpeg-ts/ts-metadata.ts';
import { lengthOf, unitPackets } from '../mpeg-ts/unit-packets.ts';
import { TYPES, type Track } from './track.ts';

const FIRST_PID = 0x100;
/** The clock is so much earlier than the decoding time of the unit that carries it. */
const CLOCK_AHEAD_TICKS = 9000;
const MAX_PES_LENGTH = 0xffff;
const START_CODE_PREFIX = Buffer.from([0, 0, 1]);
const HEAD_BYTES = 9;
const TIME_BYTES = 5;

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

  /** `parts` are the unit, one behind the other; a section is in one. */
  unit(index: number, times: UnitTimes, key: boolean, parts: readonly Buffer[]): Buffer {
    const track = this.tracks[index]!;
    const counter = this.counters[index]!;
    const pid = this.pids[index]!;
    const packets =
      track.kind === 'section'
        ? sectionPackets(pid, parts[0]!, counter)
        : unitPackets({
            pid,
            parts: [pesHead(track, times, lengthOf(parts)), ...parts],
            isKey: key,
            clock: index === this.clockIndex ? modulo(Math.round(times.dts - this.clockAheadTicks)) : undefined,
            counter,
          });
    this.counters[index] = (counter + packets.length / PACKET_BYTES) & 15;
    return packets;
  }
}

/** The header of a PES unit (ISO/IEC 13818-1 §2.4.3.6). */
function pesHead({ streamId, kind }: Track, { pts, dts }: UnitTimes, bytes: number): Buffer {
  const count = pts === undefined ? 0 : pts === dts ? 1 : 2;
  const rest = count * TIME_BYTES;
  const length = 3 + rest + bytes;
  const head = Buffer.allocUnsafe(HEAD_BYTES + rest);
  head.set(START_CODE_PREFIX, 0);
  head[3] = streamId;
  // A length of 0 is allowed for video alone, of any length.
  const written = kind === 'video' && length > MAX_PES_LENGTH ? 0 : Math.min(length, MAX_PES_LENGTH);
  head.writeUInt16BE(written, 4);
  head[6] = 0x84;
  head[7] = count === 0 ? 0 : count === 1 ? 0x80 : 0xc0;
  head[8] = rest;
  if (pts !== undefined) writeTime(head, HEAD_BYTES, count === 1 ? 2 : 3, pts);
  if (count === 2) writeTime(head, HEAD_BYTES + TIME_BYTES, 1, dts);
  return head;
}

/** 33 bits with a marker bit after every part. */
function writeTime(bytes: Buffer, at: number, prefix: number, ticks: number): void {
  const value = modulo(Math.round(ticks));
  bytes[at] = (prefix << 4) | (Math.floor(value / 2 ** 30) << 1) | 1;
  bytes.writeUInt16BE(((Math.floor(value / 2 ** 15) & 0x7fff) << 1) | 1, at + 1);
  bytes.writeUInt16BE(((value & 0x7fff) << 1) | 1, at + 3);
}
