/** The transport stream of one pusher, as it came: readers join it at a keyframe. */
import { KeptGroup } from '../media/mpeg-ts/kept-group.ts';
import { isRandomAccess, PACKET_BYTES, PacketSplitter, pidOf, startsUnit } from '../media/mpeg-ts/mpeg-ts.ts';
import { ProgramReader, type ProgramTable } from '../media/mpeg-ts/program-reader.ts';
import type { ElementaryStream } from '../media/mpeg-ts/psi.ts';
import { sectionPackets } from '../media/mpeg-ts/ts-metadata.ts';
import type { Intake, PushedMedia } from './intake.ts';
import { isVideo, startsWithKeyframe, TsFacts } from './ts-facts.ts';

/** Ten seconds at 12 Mbit/s. Where keyframes are farther apart, a reader begins with the next one. */
const MAX_KEPT_BYTES = 16 << 20;

type Place = 'start' | 'change' | undefined;

export class TsIntake implements PushedMedia {
  /** One table tells of all its streams. */
  readonly isSettled = true;
  readonly isOfOneFormat = false;
  private readonly intake: Pick<Intake, 'take' | 'renew' | 'depart'>;
  private readonly splitter = new PacketSplitter();
  private readonly tsFacts = new TsFacts();
  private readonly tables = new ProgramReader();
  private pat: Buffer | undefined;
  private pmt: { section: Buffer; streams: ElementaryStream[] } | undefined;
  private video: ElementaryStream | undefined;
  /** All since the last keyframe, but before the first, and when it became too long. */
  private readonly kept = new KeptGroup();
  private isKeeping = false;

  constructor(intake: Pick<Intake, 'take' | 'renew' | 'depart'>) {
    this.intake = intake;
  }

  get facts(): PushedMedia['facts'] {
    return this.tsFacts.all;
  }

  get beginning(): readonly Buffer[] {
    const { pat, pmt, kept, program } = this;
    if (pat === undefined || pmt === undefined || program === undefined || !this.isKeeping) return [];
    return [sectionPackets(0, pat, 0), sectionPackets(program.pmtPid, pmt.section, 0), kept.copy()];
  }

  take(chunk: Buffer): void {
    // The splitter stops behind bytes that are no packet; what follows them comes with the next call.
    for (let data = this.splitter.push(chunk); data.length > 0; data = this.splitter.push(Buffer.alloc(0)))
      this.takePackets(data);
  }

  depart(why: string): void {
    this.intake.depart(this as PushedMedia, why);
  }

  private get program(): ProgramReader['programs'][number] | undefined {
    return this.tables.programs[0];
  }

  private takePackets(data: Buffer): void {
    let [from, isStart] = [0, false];
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      const place = this.takePacket(data, at);
      if (place === undefined) continue;
      this.pass(data.subarray(from, at), isStart);
      [from, isStart] = [at, place === 'start'];
      this.keep(isStart);
      if (place === 'change') this.intake.renew(this as PushedMedia);
    }
    this.pass(data.subarray(from), isStart);
  }

  private keep(isKeeping: boolean): void {
    this.isKeeping = isKeeping;
    this.kept.clear();
  }

  private pass(bytes: Buffer, isStart: boolean): void {
    if (bytes.length === 0) return;
    if (this.isKeeping) {
      if (this.kept.length + bytes.length > MAX_KEPT_BYTES) this.keep(false);
      else this.kept.add(bytes);
    }
    this.intake.take(this as PushedMedia, { bytes, isStart, isHead: false });
  }

  /** Returns whether a reader may begin with this packet, or has to begin anew. */
  private takePacket(data: Buffer, at: number): Place {
    const pid = pidOf(data, at);
    if (this.tables.reads(pid)) {
      const places = this.tables.push(data, at).map((table) => this.takeTable(table));
      return places.find((place) => place === 'change') ?? places.find((place) => place !== undefined);
    }
    this.tsFacts.take(pid, data, at);
    if (this.video?.pid !== pid || !startsUnit(data, at)) return undefined;
    return isRandomAccess(data, at) || startsWithKeyframe(this.video.type, data, at) ? 'start' : undefined;
  }

  private takeTable({ pid, section, program, streams }: ProgramTable): Place {
    if (streams === undefined) {
      this.pat = section;
      // A stream without video can be joined anywhere.
      return this.pmt !== undefined && this.video === undefined ? 'start' : undefined;
    }
    if (pid !== this.program?.pmtPid || program !== this.program.number) return undefined;
    const former = this.pmt;
    if (former?.section.equals(section) === true) return undefined;
    this.pmt = { section, streams };
    this.video = streams.find(isVideo);
    this.tsFacts.setStreams(streams);
    return former === undefined || namesOf(former.streams) === namesOf(streams) ? undefined : 'change';
  }
}

/** A reader that has chosen its streams must know this of them. */
function namesOf(streams: readonly ElementaryStream[]): string {
  return streams.map(({ pid, type }) => `${pid}:${type}`).join();
}
