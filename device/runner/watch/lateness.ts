/** Finds a source whose clock is slow: its frames have been late for some seconds, and none has come sooner. */

/** Ticks wait for their frames, up to 150 ms. */
const LATE_MS = 50;
const FOR_MS = 5000;

export class Lateness {
  private since: number | undefined;

  /** Takes how late a tick is; where that has another reason, `isOwn` is false. Returns whether the source's clock is slow. */
  note(lateMs: number, isOwn: boolean, now: number): boolean {
    this.since = isOwn && lateMs > LATE_MS ? (this.since ?? now) : undefined;
    return now - (this.since ?? now) > FOR_MS;
  }
}
