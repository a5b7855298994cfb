/** The times of RTMP messages, which count modulo 2^32 and may begin anew, as milliseconds that go on. */

/** Sound and picture come a little out of order. */
const MAX_BACK_MS = 1000;
/** A pusher that was silent for longer has lost its place. */
const MAX_STEP_MS = 10_000;
/** Matroska has no time below zero, and the first messages need not be in order. */
const BEGIN_MS = 2 * MAX_BACK_MS;

export class MessageClock {
  private last: number | undefined;
  private now = BEGIN_MS;

  at(time: number): number {
    const step = this.last === undefined ? 0 : (time - this.last) | 0;
    this.last = time;
    if (step >= -MAX_BACK_MS && step <= MAX_STEP_MS) this.now = Math.max(0, this.now + step);
    return this.now;
  }
}
