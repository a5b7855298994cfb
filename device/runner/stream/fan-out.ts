/**
 * The encoder's transport stream, taken apart into runs of packets and handed to every Destination. Continuity counters are written anew,
 * so that nobody sees where one encoder ends and the next begins.
 */
import {
  hasPayload,
  isFilledUp,
  isRandomAccess,
  PACKET_BYTES,
  PacketSplitter,
  pidOf,
  readPts,
  setContinuity,
  setDiscontinuity,
  startsUnit,
  TICKS_PER_SECOND,
  Unwrapper,
} from '../../media/mpeg-ts/mpeg-ts.ts';
import { ProgramReader } from '../../media/mpeg-ts/program-reader.ts';
import type { ElementaryStream } from '../../media/mpeg-ts/psi.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { Captions } from './captions.ts';
import { CopiedFormatWatch, type CopiedFormat, type SourceRun } from './copied-format.ts';
import { SEAM_SECONDS, type EmittedMedia, type MediaBus, type MediaBusHooks, type UnitCount } from './media-bus.ts';
import { RunCache } from './run-cache.ts';

/** Packets of one track that follow each other; a unit starts only at the beginning. */
export interface PacketRun {
  pid: number;
  bytes: Buffer;
  /** A PES unit starts here; `pts` is its time in 90 kHz ticks, unwrapped. */
  starts: boolean;
  /** A keyframe starts here; for audio, any unit. */
  key: boolean;
  pts: number | undefined;
  /** The unit is known to end here. */
  ends?: boolean;
  /** Cue and ID3 packets belong to no rendition; views that announce their streams pass them on. */
  metadata?: true;
}

export interface PacketSink {
  /** Nobody notices when its packets come a tenth of a second later, many at once. */
  readonly toleratesDelay?: boolean;
  /** It gets nothing of what came before it joined. */
  readonly beginsNow?: boolean;
  write(run: PacketRun): void;
  /** The media is coded in another way from the next run on, which is a keyframe of the leading track. */
  begins?(): void;
  /** The end of one read: the runs written since the last call belong together. */
  flush(): void;
}

interface Track {
  isVideo: boolean;
  unwrapper: Unwrapper;
  /** Highest time so far, and the last step forward, in ticks: B frames come out of order. */
  last: number | undefined;
  step: number;
  /** Audio that an encoder was given again and viewers have already. */
  isRepeated: boolean;
  units: number;
  bytes: number;
}

/** The outputs of a run have joined within this. */
const OUTPUTS_MS = 1000;

/** The packets for those who get them while they are attached. */
export type PacketSource = Pick<FanOut, 'attach' | 'detach' | 'streams' | 'lastDataAt'>;

export class FanOut implements MediaBus {
  private readonly firstSeconds: number;
  private readonly captions: Captions;
  private readonly hooks: MediaBusHooks;
  private readonly isCopy: boolean;
  private readonly splitter = new PacketSplitter();
  private readonly tracks: Map<number, Track>;
  private readonly leader: number;
  private readonly sinks = new Set<PacketSink>();
  private readonly continuity = new Map<number, number>();
  private readonly tables = new ProgramReader();
  /** Tracks whose next unit is the first of another format. */
  private beginning = new Set<number>();
  private readonly format: CopiedFormatWatch | undefined;
  private readonly cache = new RunCache<PacketRun>();
  private hasStarted = false;
  /** Viewers of an earlier runner miss what came before its death: at the beginning no keyframe makes those before it needless. */
  goesOn = false;
  private keepsAllUntil = -Infinity;
  /** Streams as the encoder announced them, by pid. */
  readonly streams = new Map<number, ElementaryStream>();
  lastDataAt = 0;

  constructor(plan: LadderPlan, firstSeconds: number, captions: Captions, hooks: MediaBusHooks) {
    this.firstSeconds = firstSeconds;
    this.captions = captions;
    this.hooks = hooks;
    this.isCopy = plan.copy;
    const track = (isVideo: boolean): Track => {
      const unwrapper = new Unwrapper(firstSeconds * TICKS_PER_SECOND);
      return { isVideo, unwrapper, last: undefined, step: 0, isRepeated: false, units: 0, bytes: 0 };
    };
    this.tracks = new Map([
      ...plan.videos.map(({ pid }) => [pid, track(true)] as const),
      ...plan.audios.map(({ pid }) => [pid, track(false)] as const),
    ]);
    this.leader = [...this.tracks.keys()][0]!;
    const videos = plan.videos.map(({ pid }) => pid);
    if (plan.copy)
      this.format = new CopiedFormatWatch(videos, this.leader, this.streams, {
        pass: (run) => this.pass(run),
        onChange: (from, to) => this.begin(from, to),
        onForeign: (pid) => this.hooks.onForeign?.(videos.includes(pid) ? 'picture' : 'sound'),
      });
  }

  get nextSeconds(): number {
    const ends = this.endsOf([...this.tracks.values()]);
    return ends.length === 0 ? this.firstSeconds : Math.max(...ends) + SEAM_SECONDS;
  }

  get emitted(): EmittedMedia {
    const tracks = [...this.tracks.values()];
    const videoEnds = this.endsOf(tracks.filter(({ isVideo }) => isVideo));
    const audio = tracks.find(({ isVideo }) => !isVideo);
    const audioEnd = audio && this.endsOf([audio])[0];
    return {
      videoEnd: videoEnds.length === 0 ? undefined : Math.max(...videoEnds),
      audio: audioEnd === undefined ? undefined : { end: audioEnd, step: audio!.step / TICKS_PER_SECOND },
    };
  }

  /** All who get the packets do. */
  get toleratesDelay(): boolean {
    return [...this.sinks].every(({ toleratesDelay }) => toleratesDelay === true);
  }

  newWriter(): void {
    this.format?.newWriter();
    this.splitter.reset();
  }

  push(chunk: Buffer): void {
    const data = this.splitter.push(chunk);
    if (data.length > 0) this.pushWhole([data]);
  }

  /**
   * Takes whole packets, whose bytes are this fan-out's from then on. `isNamed`: the source names the codec of every unit, so that none is coded
   * otherwise than the tables say.
   */
  pushWhole(chunks: readonly Buffer[], isNamed = false): void {
    if (this.format !== undefined) this.format.isNamed = isNamed;
    this.lastDataAt = performance.now();
    for (const data of chunks) this.takeApart(data);
    this.flush();
    if (this.hasStarted || this.cache.isEmpty) return;
    this.hasStarted = true;
    this.hooks.onStarted();
  }

  private takeApart(data: Buffer): void {
    let from = 0;
    for (let at = PACKET_BYTES; at < data.length; at += PACKET_BYTES) {
      if (pidOf(data, at) !== pidOf(data, from) || startsUnit(data, at)) {
        this.emit(data, from, at);
        from = at;
      }
    }
    this.emit(data, from, data.length);
  }

  /** A joiner gets the runs since the last keyframe at once, then all that follow. */
  attach(sink: PacketSink): void {
    if (sink.beginsNow !== true) for (const run of this.cache.runs()) sink.write(run);
    sink.flush();
    this.sinks.add(sink);
  }

  detach(sink: PacketSink): void {
    this.sinks.delete(sink);
  }

  /** Sends packets that no encoder made; `packets` makes them from their first continuity counter. A flush has to follow. */
  insert(pid: number, packets: (counter: number) => Buffer, pts: number | undefined): void {
    const bytes = packets(((this.continuity.get(pid) ?? 15) + 1) & 15);
    this.continuity.set(pid, bytes[bytes.length - PACKET_BYTES + 3]! & 15);
    this.deliver({ pid, bytes, starts: true, key: false, pts, metadata: true });
  }

  flush(): void {
    for (const sink of this.sinks) sink.flush();
  }

  takeCount(pid: number): UnitCount {
    const track = this.tracks.get(pid);
    if (track === undefined) return { units: 0, bytes: 0 };
    const { units, bytes } = track;
    track.units = 0;
    track.bytes = 0;
    return { units, bytes };
  }

  private endsOf(tracks: readonly Track[]): number[] {
    return tracks.flatMap(({ last, step }) => (last === undefined ? [] : (last + step) / TICKS_PER_SECOND));
  }

  private emit(data: Buffer, from: number, to: number): void {
    const pid = pidOf(data, from);
    const track = this.tracks.get(pid);
    if (track === undefined) return this.readTable(data, from, to);
    const starts = startsUnit(data, from);
    const key = starts && (!track.isVideo || isRandomAccess(data, from));
    const pts = starts ? this.timeOf(track, readPts(data, from)) : undefined;
    if (track.isRepeated) return;
    const bytes = from === 0 && to === data.length ? data : data.subarray(from, to);
    const run = { pid, bytes, starts, key, pts };
    if (this.format === undefined) this.pass(run);
    else this.format.take(run);
  }

  private pass({ pid, bytes: data, starts, key, pts }: SourceRun): void {
    const track = this.tracks.get(pid)!;
    if (pid === this.leader && pts !== undefined) this.hooks.onFrame(pts, key);
    // Captions that are put in fill up a packet in the middle.
    const ends = isFilledUp(data, data.length - PACKET_BYTES);
    const bytes = this.captions.pass(pid, this.streams.get(pid)?.type, data, pts);
    if (starts && this.beginning.delete(pid)) setDiscontinuity(bytes, 0);
    this.renumber(bytes, pid);
    track.units += starts ? 1 : 0;
    track.bytes += bytes.length;
    this.deliver({ pid, bytes, starts, key, pts, ends });
  }

  private deliver(run: PacketRun): void {
    this.remember(run);
    for (const sink of this.sinks) sink.write(run);
  }

  /** Nobody who joins gets anything of before. */
  private begin(from: CopiedFormat, to: CopiedFormat): void {
    this.cache.clear();
    this.beginning = new Set(this.tracks.keys());
    for (const sink of [...this.sinks]) sink.begins?.();
    this.hooks.onFormat?.(from, to);
  }

  private readTable(data: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at += PACKET_BYTES)
      for (const { streams = [] } of this.tables.push(data, at))
        for (const stream of streams) this.streams.set(stream.pid, stream);
  }

  private timeOf(track: Track, raw: number | undefined): number | undefined {
    if (raw === undefined) return undefined;
    const pts = track.unwrapper.unwrap(raw);
    const { last, step } = track;
    // An audio codec needs some units from before a seam, so the next encoder is given them again.
    if (!track.isVideo && !this.isCopy) track.isRepeated = last !== undefined && pts < last + step / 2;
    if (last === undefined) track.last = pts;
    else if (pts > last) {
      track.last = pts;
      track.step = Math.min(pts - last, TICKS_PER_SECOND);
    }
    return pts;
  }

  /** ISO/IEC 13818-1 §2.4.3.3: the counter counts packets with payload only. */
  private renumber(data: Buffer, pid: number): void {
    let counter = this.continuity.get(pid) ?? 15;
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      if (hasPayload(data, at)) counter = (counter + 1) & 15;
      setContinuity(data, at, counter);
    }
    this.continuity.set(pid, counter);
  }

  private remember(run: PacketRun): void {
    const isStart = run.pid === this.leader && run.key;
    if (isStart && performance.now() > this.keepsAllUntil) {
      this.cache.clear();
      if (this.goesOn) this.keepsAllUntil = performance.now() + OUTPUTS_MS;
      this.goesOn = false;
    } else if (this.cache.isEmpty) return;
    this.cache.add(run);
  }
}
