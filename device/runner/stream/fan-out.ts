/**
 * The encoder's transport stream, cut into fragments and handed to every Destination. Outlives encoders: continuity counters are
 * written anew, so that to a Destination a restarted encoder is only a short pause.
 */
import {
  hasPayload, isRandomAccess, PACKET_BYTES, PacketSplitter, pidOf, readPts, setContinuity, startsUnit, TICKS_PER_SECOND, Unwrapper,
} from '../../media/mpeg-ts/mpeg-ts.ts'; // prettier-ignore
import { parsePat, parsePmt } from '../../media/mpeg-ts/psi.ts';
import type { ElementaryStream } from '../../media/mpeg-ts/psi.ts';
import { CUE_PID, ID3_PID, id3Packets } from '../../media/mpeg-ts/ts-metadata.ts';
import { sectionPackets } from '../../media/mpeg-ts/ts-section.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { systemClock } from '../../../domain/clock.ts';
import { Captions } from './captions.ts';
import { CueInserter } from './cue-inserter.ts';
import type { EmittedMedia } from '../encoder/unfinished.ts';
import { StreamClock } from './stream-clock.ts';

/** Packets of one stream that follow each other; a unit starts only at the beginning. */
export interface Fragment {
  pid: number;
  bytes: Buffer;
  /** A PES unit starts here; `pts` is its time in 90 kHz ticks, unwrapped. */
  starts: boolean;
  /** A keyframe starts here; for sound, any unit. */
  key: boolean;
  pts: number | undefined;
  /** Of no rendition: cues and ID3, for whoever announces them. */
  metadata?: true;
}

export interface FragmentSink {
  write(fragment: Fragment): void;
  /** The end of one read: what was written belongs together. */
  flush(): void;
}

/** Two keyframe distances of the heaviest ladder that is allowed; a source in copy mode without keyframes must not fill the memory. */
const MAX_CACHED_BYTES = 96 << 20;
/** Between the last time stamp of a dead encoder and the first of the next: room for the priming frame of AAC (21 ms). */
const SEAM_SECONDS = 0.025;
/** A cue is given so much before its time at most, for what is asked for takes effect within 2 s. */
const MAX_AHEAD_SECONDS = 2;
/** A splicer needs a few frames to get ready. */
const USUAL_AHEAD_SECONDS = 0.5;
/** A cue that is meant for an instant is at a keyframe so far from it at most: at any, where keyframes are 2 s apart. */
const MAX_OFF_SECONDS = 1;

interface StreamCount {
  units: number;
  bytes: number;
}

export class FanOut {
  private readonly splitter = new PacketSplitter();
  private readonly leader: number;
  private readonly videoPids: Set<number>;
  private readonly pids: Set<number>;
  private readonly sinks = new Set<FragmentSink>();
  private readonly continuity = new Map<number, number>();
  private readonly unwrappers = new Map<number, Unwrapper>();
  private readonly ends = new Map<number, { last: number; step: number }>();
  private readonly counts = new Map<number, StreamCount>();
  private readonly repeated = new Set<number>();
  private pmtPids: number[] = [];
  private cache: Fragment[] = [];
  private cachedBytes = 0;
  /** By pid, as the encoder announced them. */
  readonly streams = new Map<number, ElementaryStream>();
  lastDataAt = 0;
  /** When the first media left an encoder, on the steady clock. */
  startedAt: number | undefined;
  protected readonly onStarted: () => void;
  private readonly isCopy: boolean;
  private readonly keyframeTicks: number | undefined;
  /** Of the leading stream, unwrapped. */
  private newest: number | undefined;
  private keys: { last: number; distance: number | undefined } | undefined;
  private readonly watchers = new Set<(newest: number) => void>();
  /** Tags wait until their picture has been sent in every rendition. */
  private tags: { tag: Buffer; ticks: number; sent(ticks: number): void }[] = [];
  readonly line: StreamClock;
  readonly sheet: CueInserter;
  readonly captions: Captions;

  /** `onStarted`: the first media has come. */
  constructor(
    plan: LadderPlan,
    onStarted: () => void = () => undefined,
    line: StreamClock = new StreamClock(systemClock),
    sheet: CueInserter = new CueInserter(line),
  ) {
    this.onStarted = onStarted;
    this.line = line;
    this.sheet = sheet;
    this.isCopy = plan.copy;
    this.captions = new Captions(plan);
    this.keyframeTicks = plan.copy || !plan.hasVideo ? undefined : plan.keyframeSeconds * TICKS_PER_SECOND;
    this.videoPids = new Set(plan.videos.map(({ pid }) => pid));
    this.pids = new Set([...this.videoPids, ...plan.audios.map(({ pid }) => pid)]);
    this.leader = [...this.pids][0]!;
  }

  get started(): boolean {
    return this.startedAt !== undefined;
  }

  /** Where the next encoder's time begins, in seconds: just after all that was sent. */
  get nextSeconds(): number {
    const ends = [...this.ends.values()].map(({ last, step }) => last + step);
    return ends.length === 0 ? this.line.firstSeconds : Math.max(...ends) / TICKS_PER_SECOND + SEAM_SECONDS;
  }

  /** What has left so far, of the leading picture and of the first sound. */
  get givenOut(): EmittedMedia {
    const endOf = (pid: number | undefined): { end: number; step: number } | undefined => {
      const end = this.ends.get(pid ?? -1);
      return end && { end: (end.last + end.step) / TICKS_PER_SECOND, step: end.step / TICKS_PER_SECOND };
    };
    const sound = [...this.pids].find((pid) => !this.videoPids.has(pid));
    const pictures = [...this.videoPids].flatMap((pid) => endOf(pid)?.end ?? []);
    return { videoEnd: pictures.length === 0 ? undefined : Math.max(...pictures), audio: endOf(sound) };
  }

  /** The bytes that follow come from another process. */
  newWriter(): void {
    this.splitter.reset();
  }

  push(chunk: Buffer): void {
    const data = this.splitter.push(chunk);
    if (data.length === 0) return;
    this.lastDataAt = performance.now();
    let from = 0;
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      if (at > from && (pidOf(data, at) !== pidOf(data, from) || startsUnit(data, at))) {
        this.emit(data, from, at);
        from = at;
      }
    }
    this.emit(data, from, data.length);
    for (const sink of this.sinks) sink.flush();
    if (this.startedAt === undefined && this.cache.length > 0) {
      this.startedAt = this.lastDataAt;
      this.onStarted();
    }
  }

  /** A joiner gets what came since the last keyframe at once, then all that follows. */
  attach(sink: FragmentSink): void {
    for (const fragment of this.cache) sink.write(fragment);
    sink.flush();
    this.sinks.add(sink);
  }

  /** How much of the stream a joiner gets at once. */
  get secondsSinceKeyframe(): number {
    return this.newest === undefined || this.keys === undefined ? 0 : (this.newest - this.keys.last) / TICKS_PER_SECOND;
  }

  detach(sink: FragmentSink): void {
    this.sinks.delete(sink);
  }

  /** Called with each picture of the leading stream, and the newest time so far. */
  watch(onPicture: (newest: number) => void): void {
    this.watchers.add(onPicture);
  }

  /** The newest picture that has left, in unwrapped 90 kHz ticks; undefined before the first. */
  get nowTicks(): number | undefined {
    return this.newest;
  }

  /**
   * Where a cue that is given now takes effect: at a keyframe, where segments can begin and splicers can cut, or shortly when none is
   * near. Later than `after`. One that is meant for the instant `wanted`, and given in time, is at the keyframe nearest to it; at the
   * instant itself when none is near. Undefined before the first picture.
   */
  spliceTicks(after = -Infinity, wanted = -Infinity): number | undefined {
    if (this.newest === undefined) return undefined;
    const from = Math.max(this.newest, after);
    const ready = this.newest + USUAL_AHEAD_SECONDS * TICKS_PER_SECOND;
    const earliest = Math.max(ready, from + 1);
    if (wanted >= earliest) return Math.round(this.keyNear(wanted, earliest) ?? wanted);
    const distance = this.keyDistance;
    if (this.keys !== undefined && distance !== undefined) {
      const { last } = this.keys;
      const next = last + (Math.floor((from - last) / distance + 1e-6) + 1) * distance;
      const latest = from + MAX_AHEAD_SECONDS * TICKS_PER_SECOND;
      const calm = next + Math.max(0, Math.ceil((ready - next) / distance)) * distance;
      if (calm <= latest) return Math.round(calm);
      if (next <= latest) return Math.round(next);
    }
    return Math.round(earliest);
  }

  private get keyDistance(): number | undefined {
    return this.keyframeTicks ?? this.keys?.distance;
  }

  private keyNear(wanted: number, earliest: number): number | undefined {
    const distance = this.keyDistance;
    if (this.keys === undefined || distance === undefined) return undefined;
    const { last } = this.keys;
    const nearest = last + Math.round((wanted - last) / distance) * distance;
    const key = nearest >= earliest ? nearest : nearest + distance;
    return Math.abs(key - wanted) <= MAX_OFF_SECONDS * TICKS_PER_SECOND ? key : undefined;
  }

  /** A section (encodeSplice) goes out at once. Throws RangeError for what is no section. */
  insertCue(section: Buffer): void {
    this.emitOwn(CUE_PID, (counter) => sectionPackets(CUE_PID, section, counter), this.newest);
    for (const sink of this.sinks) sink.flush();
  }

  /**
   * A tag (id3Tag) goes out with the next picture; `sent` is told its time. The answer takes it back as long as it has not left. Throws
   * RangeError for one that is too long.
   */
  insertId3(tag: Buffer, sent: (ticks: number) => void): () => void {
    id3Packets(ID3_PID, tag, 0, 0);
    const entry = { tag, ticks: this.newest === undefined ? -Infinity : this.newest + 1, sent };
    this.tags.push(entry);
    return () => (this.tags = this.tags.filter((other) => other !== entry));
  }

  /** Units and bytes of a stream since the last call. */
  takeCount(pid: number): StreamCount {
    const count = this.counts.get(pid) ?? { units: 0, bytes: 0 };
    this.counts.delete(pid);
    return count;
  }

  private emit(data: Buffer, from: number, to: number): void {
    const pid = pidOf(data, from);
    if (!this.pids.has(pid)) return this.readTable(data, from, pid);
    const starts = startsUnit(data, from);
    const key = starts && (!this.videoPids.has(pid) || isRandomAccess(data, from));
    const end = this.ends.get(pid);
    const pts = starts ? this.timeOf(data, from, pid) : undefined;
    if (!this.videoPids.has(pid) && this.isRepeated(pid, pts, end)) return;
    if (pid === this.leader && pts !== undefined) this.onPicture(pts, key);
    const bytes = this.captions.pass(pid, this.streams.get(pid)?.type, data.subarray(from, to), pts);
    this.renumber(bytes, pid);
    const fragment: Fragment = { pid, bytes, starts, key, pts };
    this.count(fragment);
    this.remember(fragment);
    for (const sink of this.sinks) sink.write(fragment);
  }

  /** Sound that the next encoder was given again: its codec needs some from before the seam, and viewers have it already. */
  private isRepeated(pid: number, pts: number | undefined, end: { last: number; step: number } | undefined): boolean {
    if (pts !== undefined && !this.isCopy) {
      if (end !== undefined && pts < end.last + end.step / 2) this.repeated.add(pid);
      else this.repeated.delete(pid);
    }
    return this.repeated.has(pid);
  }

  /** A picture of the leading stream leaves now. */
  protected onPicture(pts: number, key: boolean): void {
    // The picture before has been sent, in every rendition: streams are interleaved by their time.
    const due = this.tags.filter(({ ticks }) => this.newest !== undefined && ticks <= this.newest);
    this.tags = this.tags.filter((tag) => !due.includes(tag));
    for (const { tag, sent } of due) {
      const { newest } = this;
      this.emitOwn(ID3_PID, (counter) => id3Packets(ID3_PID, tag, newest!, counter), newest);
      sent(newest!);
    }
    if (key) this.keys = { last: pts, distance: this.keys === undefined ? undefined : pts - this.keys.last };
    // B frames come out of order; the stream's time never goes back.
    this.newest = Math.max(this.newest ?? 0, pts);
    this.line.observe(pts);
    for (const watcher of this.watchers) watcher(this.newest);
  }

  private emitOwn(pid: number, packets: (counter: number) => Buffer, pts: number | undefined): void {
    const bytes = packets(((this.continuity.get(pid) ?? 15) + 1) & 15);
    this.continuity.set(pid, bytes[bytes.length - PACKET_BYTES + 3]! & 15);
    const fragment: Fragment = { pid, bytes, starts: true, key: false, pts, metadata: true };
    this.remember(fragment);
    for (const sink of this.sinks) sink.write(fragment);
  }

  private readTable(data: Buffer, at: number, pid: number): void {
    if (pid === 0) this.pmtPids = parsePat(data, at) ?? this.pmtPids;
    else if (this.pmtPids.includes(pid))
      for (const stream of parsePmt(data, at) ?? []) this.streams.set(stream.pid, stream);
  }

  private timeOf(data: Buffer, at: number, pid: number): number | undefined {
    const raw = readPts(data, at);
    if (raw === undefined) return undefined;
    if (!this.unwrappers.has(pid)) this.unwrappers.set(pid, new Unwrapper(this.line.firstSeconds * TICKS_PER_SECOND));
    const pts = this.unwrappers.get(pid)!.unwrap(raw);
    const end = this.ends.get(pid);
    // B frames come out of order: the end is the highest time, the step the last forward one.
    if (end === undefined) this.ends.set(pid, { last: pts, step: 0 });
    else if (pts > end.last) this.ends.set(pid, { last: pts, step: Math.min(pts - end.last, TICKS_PER_SECOND) });
    return pts;
  }

  /** ISO/IEC 13818-1 §2.4.3.3: counts packets with payload only. */
  private renumber(data: Buffer, pid: number): void {
    let counter = this.continuity.get(pid) ?? 15;
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      if (hasPayload(data, at)) counter = (counter + 1) & 15;
      setContinuity(data, at, counter);
    }
    this.continuity.set(pid, counter);
  }

  private count({ pid, bytes, starts }: Fragment): void {
    const count = this.counts.get(pid) ?? { units: 0, bytes: 0 };
    count.units += starts ? 1 : 0;
    count.bytes += bytes.length;
    this.counts.set(pid, count);
  }

  private remember(fragment: Fragment): void {
    if (fragment.pid === this.leader && fragment.key) {
      this.cache = [];
      this.cachedBytes = 0;
    } else if (this.cache.length === 0) return;
    this.cachedBytes += fragment.bytes.length;
    if (this.cachedBytes > MAX_CACHED_BYTES) this.cache = [];
    else this.cache.push(fragment);
  }
}
