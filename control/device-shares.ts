/** The share of each Device in what is stored: a flood from one must not fill the disk of all. */
import type { Clock } from '../domain/time/clock.ts';
import type { Log } from '../domain/base/log.ts';

/** A Device that was away for hours tells all of its runs at once. */
const BURST = 5000;
const PER_SECOND = 5;
const TELL_EVERY_MS = 60_000;

interface Share {
  left: number;
  at: number;
  toldAt: number;
}

export class DeviceShares {
  private readonly clock: Pick<Clock, 'now'>;
  private readonly log: Pick<Log, 'warn'>;
  private readonly shares = new Map<number, Share>();

  constructor(clock: Pick<Clock, 'now'>, log: Pick<Log, 'warn'>) {
    this.clock = clock;
    this.log = log;
  }

  /** False where the share is used up: what was told is dropped then. */
  take(place: number): boolean {
    const now = this.clock.now();
    const share = this.shares.get(place) ?? { left: BURST, at: now, toldAt: -Infinity };
    this.shares.set(place, share);
    share.left = Math.min(BURST, share.left + (Math.max(0, now - share.at) * PER_SECOND) / 1000);
    share.at = now;
    if (share.left >= 1) {
      share.left -= 1;
      return true;
    }
    if (now - share.toldAt >= TELL_EVERY_MS) {
      share.toldAt = now;
      this.log.warn(
        { deviceId: place },
        `A Device tells more than ${PER_SECOND} events a second; the rest is dropped.`,
      );
    }
    return false;
  }
}
