/** How old what is known is, by the server's clock: messages that were long on their way do not pass for news. */
import type { FeedMessage, FeedState } from './feed.ts';

export class Age {
  /** Milliseconds since 1970 by the server's clock: all that is known was so then. */
  asOf = 0;
  /** True once all that was missed has come. */
  isCaughtUp = false;
  /** The server's clock less this one, at most: a hello is written after its connection was opened. */
  private lead: number | undefined;

  /** Milliseconds; `now` is of this clock. */
  at(now: number): number {
    return this.lead === undefined ? Infinity : now + this.lead - this.asOf;
  }

  /** Takes a message that `state` has already. */
  hear(message: FeedMessage, state: FeedState, { now, openedAt }: { now: number; openedAt: number }): void {
    if (message.event === 'hello') {
      this.lead = Date.parse(message.data.server_time) - openedAt;
      this.isCaughtUp = false;
    } else if (message.event === 'snapshot' && message.data.done) {
      this.isCaughtUp = true;
      this.asOf = Math.max(this.asOf, Date.parse(state.hello?.server_time ?? ''));
    } else if (message.event === 'rates') {
      const at = typeof message.data.at === 'number' ? message.data.at : Date.parse(message.data.at);
      // A server writes what was missed before its first rates.
      this.isCaughtUp ||= state.complete;
      if (this.isCaughtUp) this.asOf = Math.max(this.asOf, at);
      // This clock may be slow.
      this.lead = Math.max(this.lead ?? -Infinity, at - now);
    }
  }

  /** All that is known is as a question had it that was asked then, by this clock. */
  answer(askedAt: number): void {
    this.asOf = Math.max(this.asOf, askedAt + (this.lead ?? 0));
  }
}
