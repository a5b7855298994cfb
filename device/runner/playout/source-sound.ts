/** The sound of a run on its way from the source to the encoder, and what is noticed in the source. */
import { AppError } from '../../../domain/base/errors.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Detect, SoundOptions } from '../../../domain/shapes/broadcasts/sound.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { TrackChains } from '../../media/sound/track-chains.ts';
import type { FeedDeps, SourceFeed } from '../input/source-feed.ts';
import type { EventLog } from '../process/event-log.ts';
import { SourceSignals } from './source-signals.ts';

export class SourceSound {
  private readonly spec: RunSpec;
  private readonly plan: LadderPlan;
  private readonly signals: SourceSignals;
  private connections = 0;
  /** It is undefined where no sound is encoded. */
  readonly chain: TrackChains | undefined;

  constructor(spec: RunSpec, plan: LadderPlan, events: EventLog) {
    this.spec = spec;
    this.plan = plan;
    this.signals = new SourceSignals(events);
    this.chain = plan.audios.length > 0 && !plan.copy ? new TrackChains(plan, spec.sound) : undefined;
  }

  /** Options of a feed that begins now. */
  get feedParts(): Pick<FeedDeps, 'soundDelayMs' | 'silenceDb'> {
    const silenceDb = this.spec.detect?.silence?.level_db;
    return { soundDelayMs: this.spec.sound.delay_ms, ...(silenceDb !== undefined && { silenceDb }) };
  }

  /** It is called ten times a second with the feed on air; undefined while its source is not up. Returns bits of SIGNAL_FLAGS. */
  look(feed: SourceFeed | undefined): number {
    const now = performance.now();
    const { watch } = feed ?? {};
    // Nothing is known of a new connection, so nothing has ended with it.
    if (watch?.connections !== this.connections) this.signals.forget();
    this.connections = watch?.connections ?? 0;
    if (feed === undefined || watch === undefined) this.signals.forget();
    else this.signals.look(feed.source, watch.faults(now), this.spec.detect, now, watch.format.shortage);
    return this.signals.flags;
  }

  /** The result of the last look, and whether there is anything to look at. */
  get watchFacts(): Pick<RunReport, 'conditions' | 'source_watched'> {
    const { silence, black, frozen } = this.spec.detect ?? {};
    const { copy, audios, hasVideo } = this.plan;
    const isWatched = (audios.length > 0 && silence != null) || (hasVideo && (black != null || frozen != null));
    return { conditions: this.signals.conditions, source_watched: !copy && isWatched };
  }

  /** Another source is on air. */
  forget(): void {
    this.signals.forget();
  }

  /** Returns a sentence for the event log. Throws AppError rule_violated. */
  set(options: SoundOptions, feeds: readonly SourceFeed[]): string {
    if (this.chain === undefined)
      throw new AppError('rule_violated', 'Copied sound cannot be changed; use an Encoding that encodes.');
    this.spec.sound = options;
    this.chain.set(options);
    for (const feed of feeds) feed.soundDelayMs = options.delay_ms;
    const { gain_db, mute, delay_ms } = options;
    const level = mute ? 'is muted' : `has a gain of ${gain_db} dB`;
    const when = `leaves ${Math.abs(delay_ms)} ms ${delay_ms < 0 ? 'earlier' : 'later'}`;
    return `The sound ${delay_ms === 0 ? level : `${level} and ${when}`}.`;
  }

  /** Returns a sentence for the event log. */
  detect(detect: Detect | null, feeds: readonly SourceFeed[]): string {
    this.spec.detect = detect;
    for (const { watch } of feeds)
      if (watch !== undefined && detect?.silence) watch.silenceDb = detect.silence.level_db;
    return detect === null ? 'The source is not watched any more.' : 'The source is watched as it was set.';
  }
}
