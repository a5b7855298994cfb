/** Tells whether the source is there, gives viewers the fallback while it is not, and writes the events of both. */
import type { FallbackSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import type { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { RateMeter } from '../encoder/meter.ts';
import type { SourceFeed } from '../input/source-feed.ts';
import type { EventLog } from '../process/event-log.ts';
import { BREAKS, gapReporter } from '../watch/source-gaps.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { FallbackFile } from './fallback-file.ts';
import { FALLBACK_WORDS, missingReporter, reportLost, reportRestored } from './source-events.ts';

export interface SourceStateDeps {
  plan: LadderPlan;
  events: EventLog;
  clock: Clock;
  stream: EncodedStream;
  meter: Pick<RateMeter, 'source'>;
  fallbackFile: FallbackFile;
  /** The feed that is on air, or was and comes back. */
  feed(): Pick<SourceFeed, 'source' | 'trouble'>;
  onChange(): void;
}

export class SourceState {
  private readonly deps: SourceStateDeps;
  private fallback: FallbackSpec;
  private lostAt = 0;
  private lostSource: SourceSpec | undefined;
  /** The connection has ended, and viewers see the last picture. */
  private broken: { source: SourceSpec; why: string; since: string | null } | undefined;
  private gaps: { source: SourceSpec; report: ReturnType<typeof gapReporter> } | undefined;
  /** It is undefined in a resumed run that is encoded: its viewers have had the source, and get the fallback, which is told. */
  private reportMissing: ReturnType<typeof missingReporter> | undefined;
  now: RunReport['source']['state'] = 'idle';
  /** Real media has come in this process. */
  seen = false;

  constructor(deps: SourceStateDeps, fallback: FallbackSpec) {
    this.deps = deps;
    this.fallback = fallback;
  }

  connect(resumed: boolean): void {
    this.enter('connecting');
    if (!resumed || this.deps.plan.copy) this.reportMissing = missingReporter(this.deps.events);
  }

  stop(): void {
    this.now = 'idle';
  }

  /** A source that gives media has taken the place of another one. */
  replaced(): void {
    this.seen = true;
    this.broken = undefined;
    // The same one, read anew, has to show first that it is back.
    if (this.now === 'lost' && this.lostSource === this.deps.feed().source) return;
    this.enter('up');
    void this.deps.fallbackFile.stop();
  }

  /** A connection has given its first media. */
  firstMedia(): void {
    this.seen = true;
    if (this.now === 'connecting') this.enter('up');
    else if (this.deps.plan.copy) this.restored();
    else this.mended();
  }

  /** A connection has ended; a source that is encoded counts as lost only when its frames are missing on air. */
  down(trouble: SourceTrouble): void {
    const { plan, meter, feed } = this.deps;
    const { source } = feed();
    if (this.now === 'connecting') this.reportMissing?.(source, trouble);
    if (plan.copy) this.lost();
    else if (this.now === 'up')
      this.broken ??= { source, why: trouble.publicMessage, since: meter.source.last_frame_at };
  }

  /** The next connection gives media before the source is lost. */
  private mended(): void {
    const { broken, deps } = this;
    this.broken = undefined;
    if (broken?.since == null || this.now !== 'up') return;
    const { source, why, since } = broken;
    if (this.gaps?.source !== source) this.gaps = { source, report: gapReporter(deps.events, source, BREAKS) };
    const seconds = Number(((deps.clock.now() - Date.parse(since)) / 1000).toFixed(1));
    this.gaps.report(why, 1, { since, seconds, ...(!deps.plan.hasVideo && { soundOnly: true }) });
  }

  lost(): void {
    const { plan, events, stream, meter, fallbackFile } = this.deps;
    if (this.now === 'lost' || (!this.seen && plan.copy)) return;
    const { source, trouble } = this.deps.feed();
    const { mode, path } = this.fallback;
    this.lostAt = performance.now();
    this.broken = undefined;
    this.lostSource = source;
    stream.captions.erase();
    this.enter('lost');
    reportLost(events, {
      source,
      fallback: this.fallback,
      copy: plan.copy,
      reason: trouble?.publicMessage,
      since: meter.source.last_frame_at,
    });
    if (mode === 'file' && path !== null && !plan.copy) fallbackFile.start(path);
  }

  restored(): void {
    if (this.now === 'up') return;
    const wasLost = this.now === 'lost';
    this.enter('up');
    void this.deps.fallbackFile.stop();
    if (wasLost) reportRestored(this.deps.events, this.deps.feed().source, (performance.now() - this.lostAt) / 1000);
  }

  /** Returns a sentence for the event log. */
  setFallback(fallback: FallbackSpec): string {
    const { plan, fallbackFile } = this.deps;
    this.fallback = fallback;
    if (plan.copy) return 'The fallback is kept; copied video has none.';
    if (fallback.mode !== 'file' || this.now !== 'lost') void fallbackFile.stop();
    else fallbackFile.start(fallback.path!);
    return `While the source is lost viewers get ${FALLBACK_WORDS[fallback.mode]}.`;
  }

  private enter(state: RunReport['source']['state']): void {
    this.now = state;
    this.deps.onChange();
  }
}
