/** Fragments of a transport stream, packed in this process; what it does not pack goes on in an ffmpeg. */
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { FanOut } from '../../stream/fan-out.ts';
import type { TrackFragment } from '../../stream/fragment-bus.ts';
import { PacketFragments, type PackedSink, type PackedTrack } from '../../stream/packet-fragments.ts';
import type { TrackFeed, TrackHooks } from './track-feed.ts';

/** A track that comes so much later than the first is not there. */
const MISSING_SECONDS = 5;

export interface PackedFeedHooks extends TrackHooks {
  /** ffmpeg packs from now on; `why` is half a sentence. */
  onUnfit(why: string): void;
}

export class PackedFeed implements TrackFeed, PackedSink {
  private readonly tracks: readonly PackedTrack[];
  private readonly hooks: PackedFeedHooks;
  private readonly packager: () => TrackFeed;
  private readonly own: PacketFragments;
  private readonly inits = new Map<number, TrackInit>();
  private firstSeconds: number | undefined;
  private other: TrackFeed | undefined;
  private isOver = false;

  /** `packager` makes the feed by which an ffmpeg packs. With low latency pictures come one by one. */
  constructor(
    tracks: readonly PackedTrack[],
    lowLatency: boolean,
    packets: FanOut,
    hooks: PackedFeedHooks,
    packager: () => TrackFeed,
  ) {
    this.tracks = tracks;
    this.hooks = hooks;
    this.packager = packager;
    // Sound comes frame by frame, so that its segments can end within half a frame of the picture's.
    const form = { videoSeconds: lowLatency ? 0 : Infinity, audioSeconds: 0, toleratesDelay: !lowLatency };
    this.own = new PacketFragments(tracks, form, packets, this);
  }

  start(): void {
    this.own.start();
  }

  async end(): Promise<void> {
    this.own.end();
    await this.other?.end();
  }

  kill(): void {
    this.isOver = true;
    this.own.stop();
    this.other?.kill();
  }

  init(pid: number, init: TrackInit): void {
    this.inits.set(pid, init);
    this.attempt(() => this.hooks.onInit(String(pid), init));
  }

  fragment({ pid, fragment }: TrackFragment): void {
    this.attempt(() => this.hooks.onFragment(String(pid), fragment));
    if (pid !== this.tracks[0]!.pid || this.inits.size === this.tracks.length) return;
    const seconds = fragment.startTime / this.inits.get(pid)!.timescale;
    this.firstSeconds ??= seconds;
    if (seconds - this.firstSeconds < MISSING_SECONDS) return;
    const missing = this.tracks.find((track) => !this.inits.has(track.pid))!;
    this.fail(`The source gives no ${missing.isVideo ? 'picture' : 'sound'} for it.`);
  }

  begins(): void {
    this.inits.clear();
    this.firstSeconds = undefined;
    this.hooks.onFormatEnd();
  }

  onUnfit(why: string): void {
    if (this.isOver) return;
    this.hooks.onFormatEnd();
    this.hooks.onUnfit(why);
    this.other = this.packager();
    this.other.start();
  }

  private attempt(task: () => void): void {
    if (this.isOver) return;
    try {
      task();
    } catch (error) {
      this.fail(`The fragments cannot be used: ${(error as Error).message}`);
    }
  }

  private fail(reason: string): void {
    if (!this.isOver) this.hooks.onFailed(reason);
  }
}
