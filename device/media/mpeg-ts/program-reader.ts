/** Reads the tables of a transport stream packet by packet: sections of one PID may have packets of others between them. */
import { PACKET_BYTES, payloadStart, pidOf, startsUnit } from './mpeg-ts.ts';
import { crc32Mpeg, parsePat, parsePmt, type ElementaryStream, type Program } from './psi.ts';

const STUFFING = 0xff;

/** Puts the sections of one PID together (ISO/IEC 13818-1 §2.4.4). Damaged ones, by their CRC or by a lost packet, are left out. */
export class SectionAssembler {
  private pending: Buffer | undefined;
  private last: Buffer | undefined;

  /** Returns whole sections, CRC included, that end in the packet at `at`. */
  push(data: Buffer, at: number): Buffer[] {
    const from = payloadStart(data, at);
    const end = at + PACKET_BYTES;
    const isDamaged = (data[at + 1]! & 0x80) !== 0;
    if (isDamaged || from >= end || this.isRepeated(data.subarray(at, end))) return [];
    if (!startsUnit(data, at)) return this.take(data.subarray(from, end));
    // What lies before the place that pointer_field names ends the section before.
    const begin = Math.min(end, from + 1 + data[from]!);
    const ended = this.take(data.subarray(from + 1, begin));
    this.pending = Buffer.alloc(0);
    return [...ended, ...this.take(data.subarray(begin, end))];
  }

  /** A packet may be sent twice (§2.4.3.3). Some encoders never count: their packets have one counter and other bytes. */
  private isRepeated(packet: Buffer): boolean {
    const { last } = this;
    if (last?.equals(packet) === true) return !startsUnit(packet, 0);
    const [counter, before] = [packet[3]! & 15, last === undefined ? undefined : last[3]! & 15];
    if (before !== undefined && counter !== before && counter !== ((before + 1) & 15)) this.pending = undefined;
    this.last = Buffer.from(packet);
    return false;
  }

  private take(bytes: Buffer): Buffer[] {
    if (this.pending === undefined) return [];
    const sections: Buffer[] = [];
    let rest = Buffer.concat([this.pending, bytes]);
    while (rest.length >= 3 && rest[0] !== STUFFING) {
      const length = 3 + (rest.readUInt16BE(1) & 0x0fff);
      if (rest.length < length) break;
      const section = Buffer.from(rest.subarray(0, length));
      if (crc32Mpeg(section) === 0) sections.push(section);
      rest = rest.subarray(length);
    }
    this.pending = rest[0] === STUFFING ? undefined : Buffer.from(rest);
    return sections;
  }
}

/** A table that is whole, in force and new; `streams` are those of a PMT. */
export interface ProgramTable {
  pid: number;
  section: Buffer;
  program?: number;
  streams?: ElementaryStream[];
}

export class ProgramReader {
  private readonly assemblers = new Map<number, SectionAssembler>([[0, new SectionAssembler()]]);
  programs: readonly Program[] = [];

  /** Tells whether packets of this PID hold tables. */
  reads(pid: number): boolean {
    return this.assemblers.has(pid);
  }

  /** Takes every packet; returns the tables that end in this one. */
  push(data: Buffer, at: number): ProgramTable[] {
    const pid = pidOf(data, at);
    const sections = this.assemblers.get(pid)?.push(data, at) ?? [];
    return sections.flatMap((section): ProgramTable[] => {
      if (pid === 0) return this.readPrograms(section);
      const table = parsePmt(section);
      return table === undefined ? [] : [{ pid, section, ...table }];
    });
  }

  private readPrograms(section: Buffer): ProgramTable[] {
    const programs = parsePat(section);
    if (programs === undefined) return [];
    this.programs = programs;
    const pids = programs.map(({ pmtPid }) => pmtPid);
    for (const pid of this.assemblers.keys()) if (pid !== 0 && !pids.includes(pid)) this.assemblers.delete(pid);
    for (const pid of pids) if (!this.assemblers.has(pid)) this.assemblers.set(pid, new SectionAssembler());
    return [{ pid: 0, section }];
  }
}
