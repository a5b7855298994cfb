/** The backup of a run's source: it runs warm beside the source on air and takes its place when that is bad. */
import { join } from 'node:path';
import type { Failover as FailoverOptions } from '../../../domain/failover.ts';
import type { RunSpec, SourceSpec } from '../../../domain/run.ts';
import { writeAtomic } from '../../atomic-file.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { SourceFeed } from '../input/source-feed.ts';
import type { EventLog } from '../process/event-log.ts';
import { FailoverRule, type FailoverDecision } from './failover-rule.ts';
import type { Feeds } from './feeds.ts';

export interface FailoverParts {
  spec: RunSpec;
  runDir: string;
  plan: LadderPlan;
  events: EventLog;
  feeds: Feeds;
  open(source: SourceSpec): SourceFeed;
}

export class Failover {
  private readonly parts: FailoverParts;
  private timer: NodeJS.Timeout | undefined;
  private readonly rule: FailoverRule;
  /** The one of both that is not on air; undefined without a backup. */
  standby: SourceFeed | undefined;

  constructor(parts: FailoverParts) {
    this.parts = parts;
    this.rule = new FailoverRule(parts.spec.failover);
    this.rule.switched(this.placeOf(parts.spec.source));
  }

  /** The source on air goes first: the backup is opened once that has come. A second call changes nothing. */
  start(): void {
    const { spec, plan, open } = this.parts;
    // Copied packets of two sources do not follow each other.
    if (spec.backup === undefined || plan.copy || this.standby !== undefined) return;
    this.standby = open(spec.backup);
    this.standby.start();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.standby?.stop();
  }

  /** Returns a sentence for the event log. */
  set(options: FailoverOptions): string {
    this.parts.spec.failover = options;
    this.rule.options = options;
    const way = options.return === 'auto' ? `returns after ${options.return_after_seconds} s` : 'stays';
    return `The backup goes on air after ${options.after_seconds} s of ${options.on.join(', ')}, and ${way}.`;
  }

  /** It is called ten times a second. */
  look(): void {
    const { standby, parts, rule } = this;
    const [onAir, other] = [parts.feeds.onAir.watch, standby?.watch];
    if (onAir === undefined || other === undefined) return;
    const now = performance.now();
    const faults = onAir.faults(now);
    const decision = rule.decide(now, faults, other.faults(now));
    clearTimeout(this.timer);
    if (decision !== undefined) return this.exchange(decision);
    const leftMs = rule.untilDecision(now, faults);
    if (leftMs !== undefined) this.timer = setTimeout(() => this.look(), Math.ceil(leftMs));
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
    const { parts, rule } = this;
    const next = this.standby!;
    next.buffer?.trim();
    const old = parts.feeds.exchange(next);
    this.standby = old;
    const place = this.placeOf(next.source);
    if (decision === undefined) rule.chosen(place, next.watch?.faults(performance.now()) ?? {});
    else rule.switched(place);
    // A runner that takes this one's place begins with what viewers see.
    Object.assign(parts.spec, { source: next.source, backup: old.source });
    this.save();
    if (decision !== undefined) this.report(old.source, next.source, decision);
  }

  private save(): void {
    const { spec, runDir } = this.parts;
    try {
      writeAtomic(join(runDir, 'spec.json'), JSON.stringify(spec));
    } catch {
      // On a full disk a successor begins with the source that was on air before, and decides anew.
    }
  }

  private report(from: SourceSpec, to: SourceSpec, { reason }: FailoverDecision): void {
    const why = { loss: 'gives nothing', black: 'is black', frozen: 'stands still', silent: 'is silent' };
    const message =
      reason === 'returned'
        ? `Channel "${to.name}" is good again and on air; Channel "${from.name}" waits.`
        : `Channel "${from.name}" ${why[reason]}; Channel "${to.name}" is on air in its place.`;
    const severity = reason === 'returned' ? 'info' : 'warning';
    this.parts.events.add('failover', severity, message, { reason, from: from.channelId, to: to.channelId });
  }

  private placeOf({ channelId }: SourceSpec): 'first' | 'backup' | 'other' {
    const { pair } = this.parts.spec;
    if (channelId === pair?.first) return 'first';
    return channelId === pair?.backup ? 'backup' : 'other';
  }
}
