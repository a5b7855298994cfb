/**
 * The fan-out for codecs that a transport stream cannot hold: the encoder's fragmented MP4, a track a rendition, handed to every
 * Destination that can take it. Pictures go on a keyframe distance at a time, sound frame by frame. Outlives encoders. Time line and cues
 * are those of every fan-out; what is attached as a sink of transport packets gets nothing.
 */
import { joinFragments } from '../../media/fmp4/fmp4-join.ts';
import { Fmp4Parser, type MediaFragment, type TrackInit } from '../../media/fmp4/fmp4-parser.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { FanOut } from './fan-out.ts';
import type { EmittedMedia } from '../encoder/unfinished.ts';

export interface TrackFragment {
  /** Of the plan: the number that the stream would have in a transport stream. */
  pid: number;
  fragment: MediaFragment;
}

export interface FragmentBusSink {
  /** Before the fragments that need it; again when another encoder is set up differently. */
  init(pid: number, init: TrackInit): void;
  fragment(given: TrackFragment): void;
}

/** Room for the priming frame of AAC between two encoders, and for that of Opus. */
const SEAM_SECONDS = 0.025;
/** Pictures between two keyframes, and what a joiner gets: as much as the fan-out keeps. */
const MAX_BYTES = 96 << 20;

interface FragmentTrack {
  pid: number;
  isPicture: boolean;
  parser: Fmp4Parser;
  init: TrackInit | undefined;
  /** Since the last keyframe, not handed on yet. */
  open: MediaFragment[];
  openBytes: number;
  sequence: number;
  endSeconds: number;
  /** Length of the last fragment. */
  stepSeconds: number;
  units: number;
  bytes: number;
}

export class FragmentBus extends FanOut {
  private readonly tracks: Map<number, FragmentTrack>;
  private readonly first: FragmentTrack;
  private readonly takers = new Set<FragmentBusSink>();
  private kept: TrackFragment[] = [];

  constructor(...[plan, ...more]: ConstructorParameters<typeof FanOut>) {
    super(plan, ...more);
    const tracks = [...plan.videos, ...plan.audios].map(({ pid }, i): FragmentTrack => {
      const own = {
        init: undefined,
        open: [],
        openBytes: 0,
        sequence: 0,
        endSeconds: 0,
        stepSeconds: 0,
        units: 0,
        bytes: 0,
      };
      return { pid, isPicture: i < plan.videos.length, parser: new Fmp4Parser(), ...own };
    });
    this.tracks = new Map(tracks.map((track) => [track.pid, track]));
    this.first = tracks[0]!;
  }

  /** In the order of the encoder's descriptors. */
  get trackPids(): number[] {
    return [...this.tracks.keys()];
  }

  /** Where the next encoder's time begins, in seconds: just after all that was sent. */
  override get nextSeconds(): number {
    const end = Math.max(...[...this.tracks.values()].map(({ endSeconds }) => endSeconds));
    return end === 0 ? this.line.firstSeconds : end + SEAM_SECONDS;
  }

  override get givenOut(): EmittedMedia {
    const tracks = [...this.tracks.values()];
    const ended = (isPicture: boolean): FragmentTrack[] =>
      tracks.filter((track) => track.isPicture === isPicture && track.endSeconds > 0);
    const [pictures, [sound]] = [ended(true), ended(false)];
    return {
      videoEnd: pictures.length === 0 ? undefined : Math.max(...pictures.map(({ endSeconds }) => endSeconds)),
      audio: sound && { end: sound.endSeconds, step: sound.stepSeconds },
    };
  }

  /** The encoder has ended: what it left open is whole, and handed on. The bytes that follow come from another one. */
  override newWriter(): void {
    for (const track of this.tracks.values()) {
      this.closeOpen(track);
      track.parser = new Fmp4Parser();
    }
  }

  /** Throws RangeError for what is no fragmented MP4: nothing can be read from this encoder any more. */
  pushTrack(pid: number, chunk: Buffer): void {
    const track = this.tracks.get(pid)!;
    for (const { init, fragment } of track.parser.push(chunk)) {
      if (init === undefined) this.take(track, fragment);
      else this.setUp(track, init);
    }
  }

  /** A joiner gets what came since the last keyframe at once, then all that follows. */
  attachTracks(sink: FragmentBusSink): void {
    for (const { pid, init } of this.tracks.values()) if (init !== undefined) sink.init(pid, init);
    for (const given of this.kept) sink.fragment(given);
    this.takers.add(sink);
  }

  detachTracks(sink: FragmentBusSink): void {
    this.takers.delete(sink);
  }

  /** Units and bytes of a track since the last call. */
  override takeCount(pid: number): { units: number; bytes: number } {
    const track = this.tracks.get(pid);
    const count = { units: track?.units ?? 0, bytes: track?.bytes ?? 0 };
    if (track !== undefined) Object.assign(track, { units: 0, bytes: 0 });
    return count;
  }

  private setUp(track: FragmentTrack, init: TrackInit): void {
    const former = track.init;
    track.init = init;
    if (former !== undefined && sameSetUp(former, init)) return;
    for (const sink of this.takers) sink.init(track.pid, init);
  }

  private take(track: FragmentTrack, fragment: MediaFragment): void {
    this.lastDataAt = performance.now();
    // Sound that the next encoder was given again: its codec needs some from before the seam, and viewers have it already.
    const middle = (fragment.startTime + fragment.duration / 2) / track.init!.timescale;
    if (!track.isPicture && middle < track.endSeconds) return;
    track.units += fragment.samples.length;
    track.bytes += fragment.data.length;
    const { timescale } = track.init!;
    track.stepSeconds = fragment.duration / timescale;
    track.endSeconds = Math.max(track.endSeconds, (fragment.startTime + fragment.duration) / timescale);
    if (this.startedAt === undefined) {
      this.startedAt = this.lastDataAt;
      this.onStarted();
    }
    if (track === this.first)
      this.onPicture(Math.round((fragment.startTime / timescale) * TICKS_PER_SECOND), fragment.key);
    if (!track.isPicture) return this.send({ pid: track.pid, fragment });
    if (fragment.key) this.closeOpen(track);
    // Pictures without a keyframe before them cannot be shown.
    else if (track.open.length === 0) return;
    track.open.push(fragment);
    track.openBytes += fragment.data.length;
    if (track.openBytes > MAX_BYTES) Object.assign(track, { open: [], openBytes: 0 });
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

  private send(given: TrackFragment): void {
    this.keep(given);
    for (const sink of this.takers) sink.fragment(given);
  }

  /** What ends after the leader's last keyframe: its sound has come before it, for pictures wait for the next keyframe. */
  private keep(given: TrackFragment): void {
    this.kept.push(given);
    const { first } = this;
    if (given.pid !== first.pid) {
      // A leader that stands still must not let the others fill the memory.
      const bytes = this.kept.reduce((sum, { fragment }) => sum + fragment.data.length, 0);
      if (bytes > MAX_BYTES) this.kept = [];
      return;
    }
    const from = given.fragment.startTime / first.init!.timescale;
    this.kept = this.kept.filter(({ pid, fragment: { startTime, duration } }) => {
      const { timescale } = this.tracks.get(pid)!.init!;
      return (startTime + duration) / timescale > from + 0.001;
    });
  }
}

/** The bytes may differ in what is only measured (the rate of the first fragment); these are what a decoder is set up with. */
function sameSetUp(a: TrackInit, b: TrackInit): boolean {
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
