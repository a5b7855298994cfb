/** The transport stream of one pusher, as it came: readers join it at a keyframe. */
import { isRandomAccess, PACKET_BYTES, PacketSplitter, pidOf, startsUnit } from '../media/mpeg-ts/mpeg-ts.ts';
import { parsePat, parsePmt, type ElementaryStream } from '../media/mpeg-ts/psi.ts';
import type { Intake, PushedMedia } from './intake.ts';
import { isVideo, startsWithKeyframe, TsFacts } from './ts-facts.ts';

/** Ten seconds at 12 Mbit/s. Where keyframes are farther apart, a reader begins with the next one. */
const MAX_KEPT_BYTES = 16 << 20;

export class TsIntake implements PushedMedia {
  private readonly intake: Pick<Intake, 'take' | 'depart'>;
  private readonly splitter = new PacketSplitter();
  private readonly tsFacts = new TsFacts();
  private pat: Buffer | undefined;
  private pmt: Buffer | undefined;
  private pmtPid: number | undefined;
  private video: ElementaryStream | undefined;
  /** All since the last keyframe; undefined before the first, and when it became too long. */
  private kept: { parts: Buffer[]; bytes: number } | undefined;

  constructor(intake: Pick<Intake, 'take' | 'depart'>) {
    this.intake = intake;
  }

  get facts(): PushedMedia['facts'] {
    return this.tsFacts.all;
  }

  get beginning(): readonly Buffer[] {
    const { pat, pmt, kept } = this;
    return pat === undefined || pmt === undefined || kept === undefined ? [] : [pat, pmt, ...kept.parts];
  }

  take(chunk: Buffer): void {
    // The splitter stops behind bytes that are no packet; what follows them comes with the next call.
    for (let data = this.splitter.push(chunk); data.length > 0; data = this.splitter.push(Buffer.alloc(0)))
      this.takePackets(data);
  }

  depart(why: string): void {
    this.intake.depart(this as PushedMedia, why);
  }

  private takePackets(data: Buffer): void {
    let [from, isStart] = [0, false];
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      const isKey = this.takePacket(data, at);
      if (!isKey) continue;
      this.pass(data.subarray(from, at), isStart);
      [from, isStart] = [at, true];
      this.kept = { parts: [], bytes: 0 };
    }
    this.pass(data.subarray(from), isStart);
  }

  private pass(bytes: Buffer, isStart: boolean): void {
    if (bytes.length === 0) return;
    if (this.kept !== undefined) {
      this.kept.bytes += bytes.length;
      if (this.kept.bytes > MAX_KEPT_BYTES) this.kept = undefined;
      else this.kept.parts.push(bytes);
    }
    this.intake.take(this as PushedMedia, { bytes, isStart, isHead: false });
  }

  /** Returns whether a reader may begin with this packet. */
  private takePacket(data: Buffer, at: number): boolean {
    const pid = pidOf(data, at);
    if (startsUnit(data, at) && pid === 0) {
      const [first] = parsePat(data, at) ?? [];
      if (first === undefined) return false;
      [this.pat, this.pmtPid] = [Buffer.from(data.subarray(at, at + PACKET_BYTES)), first];
      // A stream without video can be joined anywhere.
      return this.pmt !== undefined && this.video === undefined;
    }
    if (startsUnit(data, at) && pid === this.pmtPid) {
      const streams = parsePmt(data, at);
      if (streams === undefined) return false;
      this.pmt = Buffer.from(data.subarray(at, at + PACKET_BYTES));
      this.video = streams.find(isVideo);
      this.tsFacts.setStreams(streams);
      return false;
    }
    this.tsFacts.take(pid, data, at);
    if (this.video?.pid !== pid || !startsUnit(data, at)) return false;
    return isRandomAccess(data, at) || startsWithKeyframe(this.video.type, data, at);
  }
}
