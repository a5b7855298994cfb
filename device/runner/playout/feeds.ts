/** The feeds of a run's source: the one on air, one that is to replace it, and those that are being ended. */
import { AppError } from '../../../domain/base/errors.ts';
import type { Crop } from '../../../domain/shapes/broadcasts/livestream.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { SourceFeed } from '../input/source-feed.ts';
import { notSwitched } from './source-events.ts';

export interface FeedsDeps {
  open(source: SourceSpec, crop: Crop | null): SourceFeed;
  /** The feed is on air from the next tick on. */
  onAir(feed: SourceFeed): void;
  isStopping(): boolean;
}

/** A new source on air takes a second at most; this covers the analysis of a slow server and a long distance of keyframes. */
const SWITCH_MS = 5000;

export class Feeds {
  private readonly deps: FeedsDeps;
  /** The feed that is on air, or was and comes back. */
  onAir: SourceFeed;
  /** The feed that is to replace it. */
  private upcoming: SourceFeed | undefined;
  private readonly ending = new Set<Promise<void>>();
  private droppedBefore = 0;
  crop: Crop | null;

  constructor(deps: FeedsDeps, source: SourceSpec, crop: Crop | null) {
    this.deps = deps;
    this.crop = crop;
    this.onAir = deps.open(source, crop);
  }

  get dropped(): number {
    return this.droppedBefore + this.onAir.dropped;
  }

  async stop(): Promise<void> {
    await Promise.all([this.onAir.stop(), this.upcoming?.stop(), ...this.ending]);
  }

  /** Opens a feed that goes on air with its first frames. Resolves with the seconds that it took; rejects with AppError, and nothing has changed. */
  async replace(source: SourceSpec, crop: Crop | null): Promise<number> {
    this.assertNoSwitch();
    const startedAt = performance.now();
    const upcoming = this.deps.open(source, crop);
    this.upcoming = upcoming;
    upcoming.start();
    try {
      await upcoming.firstFrames(SWITCH_MS);
    } catch (error) {
      this.release(upcoming);
      throw notSwitched(this.onAir.source, source, error as SourceTrouble);
    } finally {
      this.upcoming = undefined;
    }
    if (this.deps.isStopping()) throw new AppError('wrong_state', 'The encoder is stopping.');
    this.crop = crop;
    this.release(this.exchange(upcoming));
    return (performance.now() - startedAt) / 1000;
  }

  /** Puts another feed on air and returns the one before. */
  exchange(next: SourceFeed): SourceFeed {
    const old = this.onAir;
    this.onAir = next;
    // Nobody has lost what it dropped before it was on air.
    this.droppedBefore += old.dropped - next.dropped;
    this.deps.onAir(next);
    return old;
  }

  /** Closes and opens the source on air. Resolves with whether it has come back. */
  async reopen(crop: Crop | null): Promise<boolean> {
    this.assertNoSwitch();
    this.crop = crop;
    this.onAir.reopen(crop);
    return this.onAir.firstFrames(SWITCH_MS).then(
      () => true,
      () => false,
    );
  }

  /** Throws AppError wrong_state. */
  assertNoSwitch(): void {
    const name = this.upcoming?.source.name;
    if (name !== undefined)
      throw new AppError('wrong_state', `Channel "${name}" is being switched to; wait for the outcome.`);
  }

  release(feed: SourceFeed): void {
    const ended = feed.stop();
    this.ending.add(ended);
    void ended.then(() => this.ending.delete(ended));
  }
}
