/**
 * Puts cues (SCTE 35) and timed metadata (ID3) into a transport stream of one program that goes by. Only the PMT is written anew and
 * packets are added; every other packet passes as it is.
 */
import { fieldBytes } from '../../device/media/codecs/byte-reader.ts';
import {
  PACKET_BYTES,
  PacketSplitter,
  pidOf,
  readPts,
  startsUnit,
  Unwrapper,
} from '../../device/media/mpeg-ts/mpeg-ts.ts';
import { ProgramReader, SectionAssembler } from '../../device/media/mpeg-ts/program-reader.ts';
import type { ElementaryStream } from '../../device/media/mpeg-ts/psi.ts';
import {
  CUE_IDENTIFIER,
  CUE_PID,
  CUE_REGISTRATION,
  CUE_STREAM_TYPE,
  ID3_METADATA,
  ID3_POINTER,
  ID3_STREAM_TYPE,
  id3Packets,
  modulo,
  pesUnit,
} from '../../device/media/mpeg-ts/ts-metadata.ts';
import { programMapSection, readProgramMap, type ProgramMap } from './program-map.ts';
import { sectionPackets } from '../../device/media/mpeg-ts/ts-metadata.ts';

const TICKS_WRAP = 2 ** 33;
/** Coded pictures of ISO/IEC 13818-1 table 2-34: MPEG-1, MPEG-2, MPEG-4, H.264, H.265, H.266. */
const VIDEO_TYPES = [0x01, 0x02, 0x10, 0x1b, 0x24, 0x33];

export interface InjectorOptions {
  cues: boolean;
  id3: boolean;
}

interface Pending {
  kind: 'cue' | 'id3';
  bytes: Buffer;
  /** Unwrapped when the stream has a time; undefined: at once. */
  ticks: number | undefined;
}

export class TransportInjector {
  private readonly options: InjectorOptions;
  private readonly splitter = new PacketSplitter();
  private readonly tables = new SectionAssembler();
  private readonly time = new Unwrapper();
  private readonly counters = new Map<number, number>();
  private readonly programs = new ProgramReader();
  private pmtPid: number | undefined;
  private leaderPid: number | undefined;
  private pids: { cue: number; id3: number } | undefined;
  private version: number | undefined;
  private written: Buffer | undefined;
  private pending: Pending[] = [];
  /** Newest PTS of the leading stream, unwrapped. */
  private newest: number | undefined;

  constructor(options: InjectorOptions) {
    this.options = options;
  }

  /** Newest PTS, 33 bits; undefined before the first frame. */
  get nowTicks(): number | undefined {
    return this.newest === undefined ? undefined : modulo(this.newest);
  }

  /** Cues and tags that wait for their time. */
  get waiting(): number {
    return this.pending.length;
  }

  /**
   * A section (encodeSplice) that is sent before the first picture at or after `ticks` (90 kHz, wrapping at 33 bits); without it, at
   * once. The time is the one of the message, not of its effect: a splicer wants a cue 4 s before its pts_time (SCTE 35 §9.9.2.1).
   * Throws RangeError when the injector was made without cues, or for what is longer than a section.
   */
  insertCue(section: Buffer, ticks?: number): void {
    if (!this.options.cues) throw new RangeError('This stream has no PID for cues.');
    // Refused now, not when its time has come.
    sectionPackets(0, section, 0);
    this.pending.push({ kind: 'cue', bytes: section, ticks });
  }

  /**
   * A tag (id3Tag) as one PES unit with PTS `ticks`, sent before the first picture at or after it; without it, with the newest
   * picture's. A time that has passed is kept in the PTS. Throws RangeError when the injector was made without ID3, or for a tag
   * longer than a PES unit.
   */
  insertId3(tag: Buffer, ticks?: number): void {
    if (!this.options.id3) throw new RangeError('This stream has no PID for ID3.');
    pesUnit(tag, 0);
    this.pending.push({ kind: 'id3', bytes: tag, ticks });
  }

  /** Bytes in any cut, which are neither kept nor written to: others may have the same ones. Whole packets come out. */
  push(chunk: Buffer): Buffer {
    const data = this.splitter.push(chunk);
    const out: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      const pid = pidOf(data, at);
      const isTable = pid === this.pmtPid;
      const added = isTable ? this.rewrite(data, at) : this.before(data, at, pid);
      if (!isTable && added.length === 0) continue;
      out.push(data.subarray(from, at), ...added);
      from = isTable ? at + PACKET_BYTES : at;
    }
    return Buffer.concat([...out, data.subarray(from)]);
  }

  /** Returns the packets that have to be sent before this one. */
  private before(data: Buffer, at: number, pid: number): Buffer[] {
    if (pid === 0 && this.programs.push(data, at).length > 0) this.pmtPid = this.programs.programs[0]?.pmtPid;
    if (this.pids === undefined) return [];
    if (pid === this.leaderPid && startsUnit(data, at)) {
      const pts = readPts(data, at);
      // B frames come out of order; the stream's time never goes back.
      if (pts !== undefined) this.newest = Math.max(this.time.unwrap(pts), this.newest ?? 0);
    }
    return this.pending.length === 0 || this.newest === undefined ? [] : this.due(this.newest);
  }

  private due(now: number): Buffer[] {
    const due: Pending[] = [];
    this.pending = this.pending.filter((item) => {
      // 33 bits name the instant of that name that is nearest to now.
      if (item.ticks !== undefined) item.ticks += Math.round((now - item.ticks) / TICKS_WRAP) * TICKS_WRAP;
      const isDue = item.ticks === undefined || item.ticks <= now;
      if (isDue) due.push(item);
      return !isDue;
    });
    return due.map((item) => this.packets(item, now));
  }

  private packets({ kind, bytes, ticks }: Pending, now: number): Buffer {
    const pid = this.pids![kind];
    const counter = this.counters.get(pid) ?? 0;
    const packets =
      kind === 'cue' ? sectionPackets(pid, bytes, counter) : id3Packets(pid, bytes, ticks ?? now, counter);
    this.counters.set(pid, (counter + packets.length / PACKET_BYTES) & 15);
    return packets;
  }

  private rewrite(data: Buffer, at: number): Buffer[] {
    return this.tables.push(data, at).flatMap((section) => {
      const map = readProgramMap(section);
      if (map === undefined) return [];
      const pid = this.pmtPid!;
      const counter = this.counters.get(pid) ?? 0;
      const packets = sectionPackets(pid, this.table(map) ?? section, counter);
      this.counters.set(pid, (counter + packets.length / PACKET_BYTES) & 15);
      return [packets];
    });
  }

  /** The map with our streams; undefined when it has no room for them: the programme goes on, and what is to be inserted waits. */
  private table(source: ProgramMap): Buffer | undefined {
    const pids = this.ownPids(source);
    const map = this.extended(source, pids);
    try {
      let section = programMapSection({ ...map, version: this.version ?? map.version });
      if (this.written !== undefined && !section.equals(this.written)) {
        // §2.4.4.9: the version counts on whenever the content changes.
        section = programMapSection({ ...map, version: (this.version! + 1) & 31 });
      }
      this.version = (section[5]! >> 1) & 31;
      this.leaderPid = source.streams.find(({ type }) => VIDEO_TYPES.includes(type))?.pid ?? source.pcrPid;
      this.pids = pids;
      return (this.written = section);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** The same for the whole life of the stream, unless the source itself begins to use them. */
  private ownPids({ streams, pcrPid }: ProgramMap): { cue: number; id3: number } {
    const taken = new Set([...streams.map(({ pid }) => pid), pcrPid, this.pmtPid!]);
    if (this.pids !== undefined && !taken.has(this.pids.cue) && !taken.has(this.pids.id3)) return this.pids;
    const free: number[] = [];
    for (let pid = CUE_PID; free.length < 2; pid += 1) if (!taken.has(pid)) free.push(pid);
    return { cue: free[0]!, id3: free[1]! };
  }

  private extended(source: ProgramMap, pids: { cue: number; id3: number }): ProgramMap {
    const program: Buffer[] = [source.descriptors];
    const streams: ElementaryStream[] = [...source.streams];
    if (this.options.cues) {
      // A source with cues of its own has it already.
      if (!source.descriptors.includes(CUE_REGISTRATION)) program.unshift(CUE_REGISTRATION);
      streams.push({ pid: pids.cue, type: CUE_STREAM_TYPE, descriptors: CUE_IDENTIFIER });
    }
    if (this.options.id3) {
      program.push(ID3_POINTER, fieldBytes('program_number', source.programNumber, 16));
      streams.push({ pid: pids.id3, type: ID3_STREAM_TYPE, descriptors: ID3_METADATA });
    }
    return { ...source, descriptors: Buffer.concat(program), streams };
  }
}
