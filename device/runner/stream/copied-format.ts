/**
 * Watches what the tracks of a copied source are coded as. Where that changes, all tracks change at one keyframe: viewers get the pictures
 * and the sound behind it from new tables, configurations and files.
 */
import { nalUnits } from '../../media/codecs/annex-b.ts';
import { isForeign } from '../../media/codecs/foreign-codec.ts';
import { pictureFacts, VIDEO_CODECS, type CodedPicture } from '../../media/codecs/codec-string.ts';
import { soundFacts, type Sound } from '../../media/codecs/sound-frames.ts';
import { elementaryBytes, PACKET_BYTES, TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import type { ElementaryStream } from '../../media/mpeg-ts/psi.ts';

export interface CopiedFormat extends Partial<CodedPicture> {
  audio: Sound[];
}

/** Packets of one track as they came; a unit starts only at the beginning. */
export interface SourceRun {
  pid: number;
  bytes: Buffer;
  starts: boolean;
  key: boolean;
  pts: number | undefined;
}

export interface CopiedFormatHooks {
  pass(run: SourceRun): void;
  /** The next run is a keyframe that is coded as `to`. */
  onChange(from: CopiedFormat, to: CopiedFormat): void;
  /** A track is coded in another way than the tables of this writer say: it is left out until another writer begins. */
  onForeign(pid: number): void;
}

/** Parameter sets are in front of a picture, and SEI of some kilobytes may be between. */
const MAX_HEAD_BYTES = 16_384;
/** Sound that changes with its picture comes so much later at most. */
const SOUND_BEHIND_TICKS = 0.3 * TICKS_PER_SECOND;
/** The usual codec is not to be searched whole; its parser cuts units of others where they begin. */
const AVC_HEAD_BYTES = 12 * PACKET_BYTES;
const MAX_HELD_BYTES = 8 << 20;

type Coded = { facts: CodedPicture | Sound | undefined; name: string };

export class CopiedFormatWatch {
  private readonly videos: readonly number[];
  private readonly leader: number;
  private readonly streams: ReadonlyMap<number, ElementaryStream>;
  private readonly hooks: CopiedFormatHooks;
  /** No unit that comes is coded otherwise than the tables say. */
  isNamed = false;
  /** The coding in force, by PID. */
  private readonly coded = new Map<number, Coded>();
  /** Sound that is coded otherwise waits for the next keyframe; its units until then are left out. */
  private readonly coming = new Map<number, Coded>();
  /** Tracks that no table describes any more. */
  private readonly foreign = new Set<number>();
  /** Everything from a keyframe on that may begin a change. */
  private held: { runs: SourceRun[]; bytes: number; isChange: boolean | undefined } | undefined;

  constructor(
    videos: readonly number[],
    leader: number,
    streams: ReadonlyMap<number, ElementaryStream>,
    hooks: CopiedFormatHooks,
  ) {
    this.videos = videos;
    this.leader = leader;
    this.streams = streams;
    this.hooks = hooks;
  }

  take(run: SourceRun): void {
    if (this.isForeign(run)) return;
    if (this.held !== undefined) return this.hold(run);
    if (run.pid === this.leader && run.key && VIDEO_CODECS[this.typeOf(run.pid)] !== undefined) {
      this.held = { runs: [], bytes: 0, isChange: undefined };
      return this.hold(run);
    }
    if (this.videos.includes(run.pid) || this.isPassed(run)) this.hooks.pass(run);
  }

  /** Another writer begins, with tables of its own. */
  newWriter(): void {
    this.flush();
    this.foreign.clear();
  }

  private isForeign({ pid, starts, bytes }: SourceRun): boolean {
    const wasForeign = this.foreign.has(pid);
    if (!starts || this.isNamed) return wasForeign;
    const type = this.typeOf(pid);
    const unit = payload([type === 0x1b ? bytes.subarray(0, AVC_HEAD_BYTES) : bytes]);
    if (!isForeign(type, unit)) {
      // A file that begins anew is what its tables say.
      if (wasForeign && this.read(pid, unit) !== undefined) this.foreign.delete(pid);
      return this.foreign.has(pid);
    }
    this.foreign.add(pid);
    if (!wasForeign) this.hooks.onForeign(pid);
    return true;
  }

  /** Hands on what is held. */
  private flush(): void {
    const { held } = this;
    this.held = undefined;
    if (held === undefined) return;
    if (held.isChange === true) {
      const former = this.change(held.runs);
      for (const run of held.runs) if (!former.has(run)) this.hooks.pass(run);
      return;
    }
    const [first, ...rest] = held.runs;
    if (first !== undefined) this.hooks.pass(first);
    for (const run of rest) this.take(run);
  }

  private hold(run: SourceRun): void {
    const held = this.held!;
    const isNext = held.runs.length > 0 && run.pid === this.leader && run.starts;
    if (isNext) held.isChange ??= this.isBeginning(headOf(held.runs, this.leader));
    if (isNext && run.key) {
      this.flush();
      return this.take(run);
    }
    held.runs.push(run);
    held.bytes += run.bytes.length;
    const isFull = held.bytes > MAX_HELD_BYTES;
    if (held.isChange === undefined) {
      const head = headOf(held.runs, this.leader);
      const isWhole = head.length >= MAX_HEAD_BYTES || hasPicture(this.typeOf(this.leader), head);
      if (!isWhole && !isFull) return;
      held.isChange = this.isBeginning(head);
    }
    const [{ pts: firstPts }] = held.runs as [SourceRun];
    const isLater = run.pts !== undefined && (firstPts === undefined || run.pts - firstPts >= SOUND_BEHIND_TICKS);
    if (!held.isChange || isLater || isFull) this.flush();
  }

  private isBeginning(head: Buffer): boolean {
    return this.isOther(this.leader, this.read(this.leader, head)) || this.coming.size > 0;
  }

  /** Sets all tracks to what they are in these runs, and returns the units that are coded as before. */
  private change(runs: readonly SourceRun[]): Set<SourceRun> {
    const [from, former] = [this.format, this.names];
    const now = new Map<SourceRun, Coded | undefined>();
    const current = new Map<number, Coded>();
    for (const run of runs) {
      const { pid } = run;
      if (this.videos.includes(pid)) continue;
      const coded = run.starts ? (this.read(pid, elementaryBytes(run.bytes, 0)) ?? current.get(pid)) : current.get(pid);
      if (coded !== undefined) current.set(pid, coded);
      now.set(run, coded);
    }
    const last = new Map(current);
    for (const [pid, coded] of this.coming) if (!last.has(pid)) last.set(pid, coded);
    this.coming.clear();
    for (const [pid, coded] of last) this.coded.set(pid, coded);
    const video = this.read(this.leader, headOf(runs, this.leader));
    if (video !== undefined) this.coded.set(this.leader, video);
    if (this.names !== former) this.hooks.onChange(from, this.format);
    const isFormer = (run: SourceRun): boolean => {
      const coded = now.get(run);
      return coded !== undefined && coded.name !== last.get(run.pid)?.name;
    };
    return new Set(runs.filter(isFormer));
  }

  /** Looks at a unit of sound; without a picture that leads, it changes at once. */
  private isPassed(run: SourceRun): boolean {
    const { pid, starts } = run;
    const coded = starts ? this.read(pid, elementaryBytes(run.bytes, 0)) : undefined;
    if (coded === undefined) return !this.coming.has(pid);
    if (!this.isOther(pid, coded)) {
      this.coming.delete(pid);
      return true;
    }
    if (this.videos.length > 0) {
      this.coming.set(pid, coded);
      return false;
    }
    const from = this.format;
    this.coded.set(pid, coded);
    this.hooks.onChange(from, this.format);
    return true;
  }

  /** Nothing that is seen for the first time is a change. */
  private isOther(pid: number, coded: Coded | undefined): boolean {
    if (coded === undefined) return false;
    const known = this.coded.get(pid);
    if (known === undefined) this.coded.set(pid, coded);
    return known !== undefined && known.name !== coded.name;
  }

  private typeOf(pid: number): number {
    return this.streams.get(pid)?.type ?? 0;
  }

  private read(pid: number, unit: Buffer): Coded | undefined {
    const type = this.typeOf(pid);
    if (!this.videos.includes(pid)) {
      const facts = soundFacts(type, unit);
      // Decoders of AC-3 follow its channels, which change with every programme.
      return (
        facts && { facts, name: `${facts.codec} ${facts.sample_rate} ${facts.codec === 'ac3' ? '' : facts.channels}` }
      );
    }
    const sets = setsOf(type, unit);
    return sets === '' ? undefined : { facts: pictureFacts(type, unit), name: `${type} ${sets}` };
  }

  private get names(): string {
    return [...this.coded].map(([pid, { name }]) => `${pid} ${name}`).join();
  }

  private get format(): CopiedFormat {
    const picture =
      this.videos.length === 0 ? undefined : (this.coded.get(this.leader)?.facts as CodedPicture | undefined);
    const sounds = [...this.coded].sort(([a], [b]) => a - b).filter(([pid]) => !this.videos.includes(pid));
    return { ...picture, audio: sounds.flatMap(([, { facts }]) => (facts === undefined ? [] : [facts as Sound])) };
  }
}

function payload(runs: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  let room = MAX_HEAD_BYTES;
  for (const bytes of runs)
    for (let at = 0; at < bytes.length && room > 0; at += PACKET_BYTES) {
      const part = elementaryBytes(bytes, at).subarray(0, room);
      parts.push(part);
      room -= part.length;
    }
  return Buffer.concat(parts);
}

/** The beginning of the first unit of the leader. */
function headOf(runs: readonly SourceRun[], leader: number): Buffer {
  const own = runs.filter(({ pid }) => pid === leader);
  const next = own.findIndex(({ starts }, i) => i > 0 && starts);
  return payload((next < 0 ? own : own.slice(0, next)).map(({ bytes }) => bytes));
}

/** Sequence parameter sets alone: encoders may send others with every picture. */
function isSet(type: number, nal: Buffer): boolean {
  return type === 0x1b ? (nal[0]! & 31) === 7 : type === 0x24 && ((nal[0]! >> 1) & 63) === 33;
}

function setsOf(type: number, unit: Buffer): string {
  if (type !== 0x02)
    return [
      ...new Set(
        nalUnits(unit)
          .filter((nal) => isSet(type, nal))
          .map((nal) => nal.toString('hex')),
      ),
    ].join();
  const at = unit.indexOf(Buffer.from([0, 0, 1, 0xb3]));
  // Size, shape of pixels and rate.
  return at < 0 ? '' : unit.toString('hex', at + 4, at + 8);
}

/** Tells whether the coded picture itself has begun, before which its sets are. */
function hasPicture(type: number, head: Buffer): boolean {
  if (type === 0x02) return head.includes(Buffer.from([0, 0, 1, 0]));
  return nalUnits(head).some((nal) => (type === 0x1b ? [1, 5].includes(nal[0]! & 31) : ((nal[0]! >> 1) & 63) < 32));
}
