/**
 * The encoder's fragmented MP4, for codecs that a transport stream cannot hold: a track a rendition, handed to every Destination that can
 * take it. Video goes on a keyframe distance at a time, or frame by frame for low latency, audio unit by unit.
 */
import { joinFragments } from '../../media/fmp4/fmp4-join.ts';
import { Fmp4Parser, type MediaFragment, type TrackInit } from '../../media/fmp4/fmp4-parser.ts';
import { MAX_BUFFERED_BYTES, type LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { SEAM_SECONDS, type EmittedMedia, type MediaBus, type MediaBusHooks, type UnitCount } from './media-bus.ts';

export interface TrackFragment {
  /** The plan's number, which the stream would have in a transport stream. */
  pid: number;
  fragment: MediaFragment;
}

export interface FragmentSink {
  /** Comes before the fragments that need it; again when another encoder is set up differently. */
  init(pid: number, init: TrackInit): void;
  fragment(part: TrackFragment): void;
}

interface FragmentTrack {
  pid: number;
  isVideo: boolean;
  parser: Fmp4Parser;
  init: TrackInit | undefined;
  /** Fragments since the last keyframe, which have not been handed on yet. */
  open: MediaFragment[];
  openBytes: number;
  sequence: number;
  /** End of the last fragment, and its length. */
  endSeconds: number;
  stepSeconds: number;
  units: number;
  bytes: number;
}

function emptyTrack(pid: number, isVideo: boolean): FragmentTrack {
  return {
    pid,
    isVideo,
    parser: new Fmp4Parser(),
    init: undefined,
    open: [],
    openBytes: 0,
    sequence: 0,
    endSeconds: 0,
    stepSeconds: 0,
    units: 0,
    bytes: 0,
  };
}

export class FragmentBus implements MediaBus {
  private readonly firstSeconds: number;
  private readonly hooks: MediaBusHooks;
  private readonly tracks: Map<number, FragmentTrack>;
  private readonly leader: FragmentTrack;
  private readonly sinks = new Set<FragmentSink>();
  /** Sinks that get video frame by frame. */
  private readonly frameSinks = new Set<FragmentSink>();
  private cache: TrackFragment[] = [];
  private hasStarted = false;
  lastDataAt = 0;

  constructor({ videos, audios }: LadderPlan, firstSeconds: number, hooks: MediaBusHooks) {
    this.firstSeconds = firstSeconds;
    this.hooks = hooks;
    const tracks = [
      ...videos.map(({ pid }) => emptyTrack(pid, true)),
      ...audios.map(({ pid }) => emptyTrack(pid, false)),
    ];
    this.tracks = new Map(tracks.map((track) => [track.pid, track]));
    this.leader = tracks[0]!;
  }

  /** In the order of the encoder's descriptors. */
  get trackPids(): number[] {
    return [...this.tracks.keys()];
  }

  get nextSeconds(): number {
    const end = Math.max(...[...this.tracks.values()].map(({ endSeconds }) => endSeconds));
    return end === 0 ? this.firstSeconds : end + SEAM_SECONDS;
  }

  get emitted(): EmittedMedia {
    const begun = [...this.tracks.values()].filter(({ endSeconds }) => endSeconds > 0);
    const videoEnds = begun.filter(({ isVideo }) => isVideo).map(({ endSeconds }) => endSeconds);
    const audio = begun.find(({ isVideo }) => !isVideo);
    return {
      videoEnd: videoEnds.length === 0 ? undefined : Math.max(...videoEnds),
      audio: audio && { end: audio.endSeconds, step: audio.stepSeconds },
    };
  }

  /** The encoder has ended: the fragments that it left open are whole, and handed on. */
  newWriter(): void {
    for (const track of this.tracks.values()) {
      this.closeOpen(track);
      track.parser = new Fmp4Parser();
    }
  }

  /** Throws RangeError for bytes that are no fragmented MP4: nothing can be read from this encoder any more. */
  push(pid: number, chunk: Buffer): void {
    const track = this.tracks.get(pid)!;
    for (const { init, fragment } of track.parser.push(chunk)) {
      if (init === undefined) this.take(track, fragment);
      else this.setUp(track, init);
    }
  }

  /** A joiner gets the fragments since the last keyframe at once, then all that follow. */
  attach(sink: FragmentSink, everyFrame = false): void {
    for (const { pid, init } of this.tracks.values()) if (init !== undefined) sink.init(pid, init);
    for (const part of everyFrame ? this.openParts() : this.cache) sink.fragment(part);
    (everyFrame ? this.frameSinks : this.sinks).add(sink);
  }

  detach(sink: FragmentSink): void {
    this.sinks.delete(sink);
    this.frameSinks.delete(sink);
  }

  /** The frames since the leader's last keyframe, and the audio beside them. */
  private openParts(): TrackFragment[] {
    const frames = [...this.tracks.values()].flatMap(({ pid, open }) => open.map((fragment) => ({ pid, fragment })));
    return [...frames, ...this.cache.filter(({ pid }) => !this.tracks.get(pid)!.isVideo)];
  }

  takeCount(pid: number): UnitCount {
    const track = this.tracks.get(pid);
    const count = { units: track?.units ?? 0, bytes: track?.bytes ?? 0 };
    if (track !== undefined) Object.assign(track, { units: 0, bytes: 0 });
    return count;
  }

  private setUp(track: FragmentTrack, init: TrackInit): void {
    const former = track.init;
    track.init = init;
    if (former !== undefined && isSameSetUp(former, init)) return;
    for (const sink of [...this.sinks, ...this.frameSinks]) sink.init(track.pid, init);
  }

  private take(track: FragmentTrack, fragment: MediaFragment): void {
    this.lastDataAt = performance.now();
    const { timescale } = track.init!;
    // An audio codec needs some units from before a seam, so the next encoder is given them again; viewers have them already.
    const middle = (fragment.startTime + fragment.duration / 2) / timescale;
    if (!track.isVideo && middle < track.endSeconds) return;
    track.units += fragment.samples.length;
    track.bytes += fragment.data.length;
    track.stepSeconds = fragment.duration / timescale;
    track.endSeconds = Math.max(track.endSeconds, (fragment.startTime + fragment.duration) / timescale);
    if (!this.hasStarted) {
      this.hasStarted = true;
      this.hooks.onStarted();
    }
    if (track === this.leader)
      this.hooks.onFrame(Math.round((fragment.startTime / timescale) * TICKS_PER_SECOND), fragment.key);
    const part = { pid: track.pid, fragment };
    if (!track.isVideo) {
      for (const sink of this.frameSinks) sink.fragment(part);
      return this.send(part);
    }
    if (fragment.key) this.closeOpen(track);
    // Frames without a keyframe before them cannot be shown.
    else if (track.open.length === 0) return;
    for (const sink of this.frameSinks) sink.fragment(part);
    track.open.push(fragment);
    track.openBytes += fragment.data.length;
    if (track.openBytes > MAX_BUFFERED_BYTES) Object.assign(track, { open: [], openBytes: 0 });
  }

  private closeOpen(track: FragmentTrack): void {
    const { open, pid } = track;
    const [first, last] = [open[0], open.at(-1)];
    if (first === undefined || last === undefined) return;
    Object.assign(track, { open: [], openBytes: 0 });
    const bytes = joinFragments(open, ++track.sequence);
    const duration = last.decodeTime + last.duration - first.decodeTime;
    const data = Buffer.concat(open.map((one) => one.data));
    const startTime = Math.min(...open.map((one) => one.startTime));
    this.send({
      pid,
      fragment: { ...first, bytes, startTime, duration, samples: open.flatMap((one) => one.samples), data },
    });
  }

  private send(part: TrackFragment): void {
    this.remember(part);
    for (const sink of this.sinks) sink.fragment(part);
  }

  /** Keeps the fragments that end after the leader's last keyframe: their audio came before it, since video waits for the next keyframe. */
  private remember(part: TrackFragment): void {
    this.cache.push(part);
    const { leader } = this;
    if (part.pid !== leader.pid) {
      // A leader that stands still must not let the others fill the memory.
      const bytes = this.cache.reduce((sum, { fragment }) => sum + fragment.data.length, 0);
      if (bytes > MAX_BUFFERED_BYTES) this.cache = [];
      return;
    }
    const from = part.fragment.startTime / leader.init!.timescale;
    this.cache = this.cache.filter(({ pid, fragment: { startTime, duration } }) => {
      const { timescale } = this.tracks.get(pid)!.init!;
      return (startTime + duration) / timescale > from + 0.001;
    });
  }
}

/** Compares the values that a decoder is set up with: the bytes may differ in the measured rate of the first fragment. */
function isSameSetUp(a: TrackInit, b: TrackInit): boolean {
  return (
    a.codecs === b.codecs &&
    a.timescale === b.timescale &&
    a.trackId === b.trackId &&
    a.width === b.width &&
    a.height === b.height &&
    a.sampleRate === b.sampleRate &&
    a.channels === b.channels
  );
}
