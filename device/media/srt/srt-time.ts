/**
 * When a packet of SRT is due: at the time that its sender wrote on it, and the latency later (draft-sharabayko-srt-01 §4.5). The sender's
 * clock drifts from this one, and either machine may stand still. All times are microseconds.
 */

/** A packet cannot come before it was sent, and a sender drops what is late: beyond these bounds its clock is another one. */
const [AHEAD_US, LATE_US] = [1_000_000, 10_000_000];
/** The least delay of so many is that of the way alone. */
const DRIFT_SAMPLES = 256;

export class SrtTime {
  readonly latencyUs: number;
  /** This clock's time at 0 of the sender's. */
  private base: number;
  /** The last time of the sender, which has 32 bits in a packet, as one number. */
  private last: number;
  private least = Infinity;
  private samples = 0;

  /** `sentAt` is the time in the sender's handshake, which came at `now`. */
  constructor(sentAt: number, now: number, latencyUs: number) {
    this.last = sentAt;
    this.base = now - sentAt;
    this.latencyUs = latencyUs;
  }

  dueAt(sentAt: number): number {
    return this.base + this.unwrapped(sentAt) + this.latencyUs;
  }

  /** It is called with every packet of media. */
  noteMedia(sentAt: number, now: number): void {
    this.last = this.unwrapped(sentAt);
    const ahead = this.base + this.last - now;
    if (ahead > AHEAD_US || ahead < -LATE_US) this.moveBy(-ahead);
  }

  /** It is called with packets that their sender sends at once: how late they are tells of its clock. */
  noteAnswer(sentAt: number, now: number): void {
    this.least = Math.min(this.least, now - this.base - this.unwrapped(sentAt));
    this.samples += 1;
    if (this.samples >= DRIFT_SAMPLES) this.moveBy(this.least);
  }

  private moveBy(difference: number): void {
    this.base += difference;
    this.least = Infinity;
    this.samples = 0;
  }

  private unwrapped(sentAt: number): number {
    return this.last + ((sentAt - this.last) | 0);
  }
}
