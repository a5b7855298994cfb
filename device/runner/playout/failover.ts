/** The backup of a run's source: it runs warm beside the source on air and takes its place when that is bad. */
import { join } from 'node:path';
import type { Failover as FailoverOptions } from '../../../domain/shapes/broadcasts/failover.ts';
import type { RunSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { writeAtomic } from '../../atomic-file.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { BACKUP_AFTER_MS } from '../input/ingest-limits.ts';
import type { SourceFeed } from '../input/source-feed.ts';
import type { EventLog } from '../process/event-log.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import { FailoverRule, type FailoverDecision } from './failover-rule.ts';
import type { Feeds } from './feeds.ts';
import { reportFailover } from './source-events.ts';

export interface FailoverDeps {
  spec: RunSpec;
  runDir: string;
  plan: LadderPlan;
  events: EventLog;
  feeds: Feeds;
  stream: EncodedStream;
  /** A source has come. */
  isSeen(): boolean;
  /** Viewers have pictures, if only those of the fallback. */
  isOnAir(): boolean;
  open(source: SourceSpec): SourceFeed;
}

export class Failover {
  private readonly deps: FailoverDeps;
  private timer: NodeJS.Timeout | undefined;
  private readonly rule: FailoverRule;
  private awaiting: NodeJS.Timeout | undefined;
  /** Tells the run of each source that can never come, until one has. */
  private readonly gone = new Map<SourceFeed, () => void>();
  /** The one of both that is not on air; undefined without a backup. */
  standby: SourceFeed | undefined;

  constructor(deps: FailoverDeps) {
    this.deps = deps;
    this.rule = new FailoverRule(deps.spec.failover);
    this.rule.switched(this.placeOf(deps.spec.source));
  }

  /** The source on air goes first: the backup is opened once that has come, or is not waited for alone. A second call changes nothing. */
  start(): void {
    const { spec, open } = this.deps;
    if (spec.backup === undefined || this.standby !== undefined) return;
    this.standby = open(spec.backup);
    this.standby.start();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    clearTimeout(this.awaiting);
    await this.standby?.stop();
  }

  /** Returns a sentence for the event log. */
  set(options: FailoverOptions): string {
    this.deps.spec.failover = options;
    this.rule.options = options;
    const way = options.return === 'auto' ? `returns after ${options.return_after_seconds} s` : 'stays';
    return `The backup goes on air after ${options.after_seconds} s of ${options.on.join(', ')}, and ${way}.`;
  }

  /** It is called ten times a second. */
  look(): void {
    const { standby, deps, rule } = this;
    const [onAir, other] = [deps.feeds.onAir.watch, standby?.watch];
    if (onAir === undefined || other === undefined) return;
    const now = performance.now();
    const faults = onAir.faults(now);
    const decision = rule.decide(now, faults, other.faults(now));
    clearTimeout(this.timer);
    if (decision !== undefined) return this.exchange(decision);
    const leftMs = rule.untilDecision(now, faults);
    if (leftMs !== undefined) this.timer = setTimeout(() => this.look(), Math.ceil(leftMs));
  }

  /** Opens the backup when the first source does not come. */
  awaitFirst(): void {
    this.awaiting = setTimeout(() => !this.deps.isSeen() && this.start(), BACKUP_AFTER_MS);
  }

  /** Tells whether what this feed gives goes on air: as long as nothing is there, that of the first that comes does. */
  takes(feed: SourceFeed): boolean {
    const { feeds, plan, stream, isSeen, isOnAir } = this.deps;
    if (feed !== feeds.onAir) {
      if (feed !== this.standby || isSeen() || isOnAir()) return false;
      if (plan.copy) stream.newWriter();
      this.exchange({ reason: 'loss' });
    }
    // Copied packets of two sources do not follow each other: the other one is not taken any more.
    if (plan.copy && this.standby !== undefined) {
      feeds.release(this.standby);
      this.standby = undefined;
    }
    return true;
  }

  /** A source can never come. `tell` says so to the run, once that is true of both; the reason is that of the first. */
  isGone(feed: SourceFeed, tell: () => void): void {
    const { spec, feeds, isSeen } = this.deps;
    if (isSeen() || (feed !== feeds.onAir && feed !== this.standby)) return;
    this.gone.set(feed, tell);
    if (spec.backup === undefined || this.gone.has(this.standby!)) this.gone.get(feeds.onAir)?.();
    else this.start();
  }

  /** Puts the warm one on air when that is the source that was chosen by hand; false when it is another one, or gives nothing. */
  takeByHand(source: SourceSpec): boolean {
    const { standby } = this;
    const isThere = standby?.watch !== undefined && standby.watch.faults(performance.now()).loss === undefined;
    if (standby?.source.channelId !== source.channelId || !isThere) return false;
    this.exchange(undefined);
    return true;
  }

  /** Another source than both was put on air by hand. */
  chosen(source: SourceSpec): void {
    this.rule.chosen(this.placeOf(source), {});
  }

  private exchange(decision: FailoverDecision | undefined): void {
    const { deps, rule } = this;
    const next = this.standby!;
    next.buffer?.trim();
    const old = deps.feeds.exchange(next);
    this.standby = old;
    const place = this.placeOf(next.source);
    if (decision === undefined) rule.chosen(place, next.watch?.faults(performance.now()) ?? {});
    else rule.switched(place);
    // A runner that takes this one's place begins with what viewers see.
    Object.assign(deps.spec, { source: next.source, backup: old.source });
    this.save();
    if (decision !== undefined) reportFailover(deps.events, old.source, next.source, decision.reason);
  }

  private save(): void {
    const { spec, runDir } = this.deps;
    try {
      writeAtomic(join(runDir, 'spec.json'), JSON.stringify(spec));
    } catch {
      // On a full disk a successor begins with the source that was on air before, and decides anew.
    }
  }

  private placeOf({ channelId }: SourceSpec): 'first' | 'backup' | 'other' {
    const { pair } = this.deps.spec;
    if (channelId === pair?.first) return 'first';
    return channelId === pair?.backup ? 'backup' : 'other';
  }
}
