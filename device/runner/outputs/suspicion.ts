/**
 * Decides when it is worth asking the kernel whether the server of an RTMP stream still takes bytes. Servers acknowledge them by the
 * protocol, too, which costs nothing to read; most do, some never.
 */

/** A server may be late by so many of its steps. */
const STEPS = 2;
/** The least step: servers acknowledge no less at a time, whatever they are asked for. */
const MIN_STEP_BYTES = 131_072;
/** So soon something is known of a server that has gone silent; and how often one is asked for that never acknowledges. */
const EVERY_MS = { first: 500, later: 5000 };
const FIRST_MS = 20_000;

export class Suspicion {
  private acknowledged = 0;
  private step = MIN_STEP_BYTES;
  private since: number | undefined;
  private askedAt = -Infinity;

  /** `sent` and `acknowledged` are bytes since the beginning, `now` milliseconds. */
  mustAsk(sent: number, acknowledged: number, now: number): boolean {
    if (acknowledged > this.acknowledged) {
      this.step = Math.max(this.step, acknowledged - this.acknowledged);
      this.acknowledged = acknowledged;
      this.since = undefined;
    }
    if (sent - acknowledged <= STEPS * this.step) return false;
    this.since ??= now;
    const everyMs = now - this.since < FIRST_MS ? EVERY_MS.first : EVERY_MS.later;
    if (now - this.askedAt < everyMs) return false;
    this.askedAt = now;
    return true;
  }
}
