/** Decides when the other one of two sources goes on air, from what is wrong with each of them. */
import {
  FAILOVER_CAUSES,
  type Failover,
  type FailoverCause,
  type Faults,
} from '../../../domain/shapes/broadcasts/failover.ts';

export interface FailoverDecision {
  reason: FailoverCause | 'returned';
}

/** A source that has just come may go at once: so long it has to be good before it takes the place of another. */
const STEADY_MS = 1000;

interface Holding {
  cause: FailoverCause;
  /** Milliseconds until it has lasted for after_seconds; none are left from then on. */
  leftMs: number;
}

export class FailoverRule {
  options: Failover;
  /** The first source is on air, its backup, or one that was switched to by hand. */
  private place: 'first' | 'backup' | 'other' = 'first';
  private isByHand = false;
  private standbyGoodSince: number | undefined;
  /** Causes that the source had when it was chosen by hand, and has had ever since: they count again once they have ended. */
  private accepted: FailoverCause[] = [];

  constructor(options: Failover) {
    this.options = options;
  }

  /** Takes the place of the source that is on air from now on. */
  switched(place: 'first' | 'backup' | 'other'): void {
    this.place = place;
    this.isByHand = false;
    this.accepted = [];
    this.standbyGoodSince = undefined;
  }

  /** The same for a source that was chosen by hand: it stays until the next cause, whatever is wrong with it now. */
  chosen(place: 'first' | 'backup' | 'other', faults: Faults): void {
    this.switched(place);
    this.isByHand = true;
    this.accepted = FAILOVER_CAUSES.filter((cause) => faults[cause] !== undefined);
  }

  /** Milliseconds until the first cause that is there now has lasted long enough; undefined while there is none. */
  untilDecision(now: number, onAir: Faults): number | undefined {
    const ahead = this.counted(now, onAir).flatMap(({ leftMs }) => (leftMs > 0 ? [leftMs] : []));
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  /** It is called several times a second. Returns a decision while the standby source should go on air. */
  decide(now: number, onAir: Faults, standby: Faults): FailoverDecision | undefined {
    const { return: way, return_after_seconds } = this.options;
    this.accepted = this.accepted.filter((cause) => onAir[cause] !== undefined);
    // Without pictures no source is good, whatever the causes are.
    const isBad = standby.loss !== undefined || this.holding(now, standby).some(({ leftMs }) => leftMs <= 0);
    this.standbyGoodSince = isBad ? undefined : (this.standbyGoodSince ?? now);
    if (this.standbyGoodSince === undefined) return undefined;
    const goodMs = now - this.standbyGoodSince;
    if (goodMs < STEADY_MS) return undefined;
    const reached = this.counted(now, onAir).find(({ leftMs }) => leftMs <= 0);
    if (reached !== undefined) return { reason: reached.cause };
    const returns = this.place === 'backup' && !this.isByHand && way === 'auto';
    return returns && goodMs >= return_after_seconds * 1000 ? { reason: 'returned' } : undefined;
  }

  /** The causes that make the other source go on air once they have lasted. */
  private counted(now: number, onAir: Faults): Holding[] {
    return this.holding(now, onAir).filter(({ cause }) => !this.accepted.includes(cause));
  }

  /** The chosen causes that a source has. */
  private holding(now: number, faults: Faults): Holding[] {
    const { on, after_seconds } = this.options;
    return FAILOVER_CAUSES.flatMap((cause) => {
      const since = on.includes(cause) ? faults[cause] : undefined;
      return since === undefined ? [] : [{ cause, leftMs: since + after_seconds * 1000 - now }];
    });
  }
}
