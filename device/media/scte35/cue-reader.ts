/**
 * Reads the cues of a source beside its frames. ffmpeg's mpegts muxer writes streams that it cannot name as private data: one PES unit a
 * section, with the time at which it came, counted from the source's first instant as raw frames are.
 */
import {
  elementaryBytes,
  hasPayload,
  PACKET_BYTES,
  PacketSplitter,
  pidOf,
  readPts,
  startsUnit,
  TICKS_PER_SECOND,
} from '../mpeg-ts/mpeg-ts.ts';
import { ProgramReader } from '../mpeg-ts/program-reader.ts';
import { decodeSplice, spliceTicks } from './scte35.ts';

/** stream_type of private data in PES packets. */
const PRIVATE_TYPE = 0x06;
const TICKS_WRAP = 2 ** 33;
/** Cues come up to a minute before their time; one that seems to be long past is from another pass of a file that loops. */
const MAX_LATE_SECONDS = 5;
const MAX_LEAD_SECONDS = 120;

export interface ReadCue {
  section: Buffer;
  /** Time of the cue on the source's own clock, 33 bits; undefined: at once, or there is none. */
  sourceTicks: number | undefined;
  /** Time at which the cue takes effect, in seconds since the source's first instant. */
  seconds: number;
}

/** Facts that ffmpeg logs about its input at level info. */
export interface InputFacts {
  /** Start of all times, on the source's own clock. */
  startSeconds?: number;
  /** PID of the first cue stream. */
  cuePid?: number;
}

export function inputFacts(line: string): InputFacts {
  const start = /^\s*Duration: .*, start: (-?\d{1,12}(?:\.\d{1,6})?)\b/u.exec(line.replace(/^\[info\]/u, ''))?.[1];
  const pid = /Stream #0:\d+\[0x([0-9a-f]{1,8})\].*: Data: scte_35/u.exec(line)?.[1];
  return {
    ...(start !== undefined && { startSeconds: Number(start) }),
    ...(pid !== undefined && { cuePid: Number.parseInt(pid, 16) }),
  };
}

/** Knows when cues take effect whose own times cannot be meant: those of a file that loops. Times are seconds on any clock. */
export class CueLeads {
  /** How long before its time a section came first, in seconds, by the bytes of the section. */
  private readonly leads = new Map<string, number>();

  /** Returns the time of a cue that came at `arrived`, and takes effect at `seconds` as it says itself. */
  timeOf(section: Buffer, arrived: number, seconds: number): number {
    const lead = seconds - arrived;
    const key = section.toString('base64');
    if (lead < -MAX_LATE_SECONDS || lead > MAX_LEAD_SECONDS) return arrived + (this.leads.get(key) ?? 0);
    if (this.leads.size > 1000) this.leads.clear();
    this.leads.set(key, lead);
    return seconds;
  }
}

export class CueReader {
  private readonly startTicks: number;
  private readonly splitter = new PacketSplitter();
  private readonly tables = new ProgramReader();
  private pids: number[] = [];
  private readonly units = new Map<number, { pts: number; parts: Buffer[] }>();
  private readonly leads = new CueLeads();

  constructor(startSeconds: number) {
    this.startTicks = Math.round(startSeconds * TICKS_PER_SECOND);
  }

  /** Returns cues that are whole, intact and not encrypted. */
  push(chunk: Buffer): ReadCue[] {
    const data = this.splitter.push(chunk);
    const cues: ReadCue[] = [];
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      const pid = pidOf(data, at);
      for (const { streams } of this.tables.push(data, at))
        if (streams !== undefined)
          this.pids = streams.filter(({ type }) => type === PRIVATE_TYPE).map((one) => one.pid);
      if (this.pids.includes(pid) && hasPayload(data, at)) cues.push(...this.take(data, at, pid));
    }
    return cues;
  }

  private take(data: Buffer, at: number, pid: number): ReadCue[] {
    const pts = startsUnit(data, at) ? readPts(data, at) : undefined;
    if (pts !== undefined) this.units.set(pid, { pts, parts: [] });
    const unit = this.units.get(pid);
    if (unit === undefined) return [];
    const part = elementaryBytes(data, at);
    // Empty payloads could come for ever and must not be kept; a section ends after 4 KB.
    if (part.length === 0) return [];
    unit.parts.push(Buffer.from(part));
    const section = Buffer.concat(unit.parts);
    const { info, refused } = decodeSplice(section);
    if (refused === 'cut_short') return [];
    this.units.delete(pid);
    if (info === undefined) return [];
    const whole = section.subarray(0, 3 + (section.readUInt16BE(1) & 0x0fff));
    const sourceTicks = spliceTicks(info);
    const arrived = unit.pts / TICKS_PER_SECOND;
    const seconds =
      sourceTicks === undefined ? arrived : this.leads.timeOf(whole, arrived, this.secondsOf(sourceTicks));
    return [{ section: whole, sourceTicks, seconds }];
  }

  private secondsOf(sourceTicks: number): number {
    const passed = (((sourceTicks - this.startTicks) % TICKS_WRAP) + TICKS_WRAP) % TICKS_WRAP;
    return (passed > TICKS_WRAP / 2 ? passed - TICKS_WRAP : passed) / TICKS_PER_SECOND;
  }
}
