/** Decides when the other one of two sources goes on air, from what is wrong with each of them. */
import { FAILOVER_CAUSES, type Failover, type FailoverCause, type Faults } from '../../../domain/failover.ts';

export interface FailoverDecision {
  reason: FailoverCause | 'returned';
}

/** A source that has just come may go at once: so long it has to be good before it takes the place of another. */
const STEADY_MS = 1000;

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
    const { after_seconds } = this.options;
    const left = this.counted(onAir).flatMap((cause) =>
      onAir[cause] === undefined ? [] : onAir[cause] + after_seconds * 1000 - now,
    );
    const ahead = left.filter((ms) => ms > 0);
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  /** It is called several times a second. Returns a decision while the standby source should go on air. */
  decide(now: number, onAir: Faults, standby: Faults): FailoverDecision | undefined {
    const { on, after_seconds, return: way, return_after_seconds } = this.options;
    const lasts = (faults: Faults, cause: FailoverCause): boolean => {
      const since = faults[cause];
      return since !== undefined && now - since >= after_seconds * 1000;
    };
    this.accepted = this.accepted.filter((cause) => onAir[cause] !== undefined);
    // Without pictures no source is good, whatever the causes are.
    const isBad = standby.loss !== undefined || on.some((cause) => lasts(standby, cause));
    this.standbyGoodSince = isBad ? undefined : (this.standbyGoodSince ?? now);
    if (this.standbyGoodSince === undefined) return undefined;
    const goodMs = now - this.standbyGoodSince;
    if (goodMs < STEADY_MS) return undefined;
    const reason = this.counted(onAir).find((cause) => lasts(onAir, cause));
    if (reason !== undefined) return { reason };
    const returns = this.place === 'backup' && !this.isByHand && way === 'auto';
    return returns && goodMs >= return_after_seconds * 1000 ? { reason: 'returned' } : undefined;
  }

  /** The causes that hold and make the other source go on air once they have lasted. */
  private counted(onAir: Faults): FailoverCause[] {
    const { on } = this.options;
    return FAILOVER_CAUSES.filter(
      (cause) => on.includes(cause) && onAir[cause] !== undefined && !this.accepted.includes(cause),
    );
  }
}
