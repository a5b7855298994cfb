/**
 * Keeps the feed open, and asks every five seconds where there is none. It runs in the shared worker, or in the page where there is none.
 * It decides whether what is known is fresh: by the server's clock, so that messages that were long on their way do not pass for news.
 */
import { Age } from './age.ts';
import { reduceFeed, EMPTY_FEED, type FeedMessage, type FeedState } from './feed.ts';

/** No feed for this long: the status is asked for, and a connection that says nothing is opened anew. */
const PATIENCE_MS = 10_000;
const ASK_MS = 5_000;
/** The server sends rates each second. */
const MAX_AGE_MS = 3_000;
const REOPEN_MS = 1_000;
const LOOK_MS = 250;

export type LinkMode = 'connecting' | 'live' | 'stale' | 'asking' | 'signed-out';

/** A message of the worker to a window; `asOf` is the instant by the server's clock at which all that is known was so. */
export type LinkNews = { kind: 'message'; message: FeedMessage } | { kind: 'mode'; mode: LinkMode; asOf: number };

export interface FeedSource {
  close(): void;
}

/** `refused`: the server has an answer, and no feed. */
type FeedEnd = 'signed-out' | 'refused' | 'broken';

/** The link's surroundings: clock, timer, feed and status. */
export interface LinkPorts {
  /** Milliseconds on a clock that only goes on. */
  now(): number;
  every(ms: number, act: () => void): () => void;
  /** Goes on after the message of the id; `end` is called once, unless it is closed before. */
  open(lastId: string | undefined, hear: (message: FeedMessage) => void, end: (why: FeedEnd) => void): FeedSource;
  /** undefined: it was refused. Rejects where no answer came. */
  ask(): Promise<readonly never[] | 'signed-out' | undefined>;
}

export interface Link {
  state(): FeedState;
  mode(): LinkNews & { kind: 'mode' };
  close(): void;
}

export function openLink(ports: LinkPorts, tell: (news: LinkNews) => void): Link {
  return new FeedLink(ports, tell);
}

class FeedLink implements Link {
  private readonly ports: LinkPorts;
  private readonly tell: (news: LinkNews) => void;
  private readonly stop: () => void;
  private readonly age = new Age();
  private source: FeedSource | undefined;
  private known = EMPTY_FEED;
  private present: LinkMode = 'connecting';
  private lastId: string | undefined;
  private ending: { why: FeedEnd; at: number } | undefined;
  private openedAt: number;
  private heardAt: number;
  private requestedAt = -Infinity;
  private answeredAt = -Infinity;
  private wasRefused = false;
  private hasEnded = false;

  constructor(ports: LinkPorts, tell: (news: LinkNews) => void) {
    this.ports = ports;
    this.tell = tell;
    this.openedAt = ports.now();
    this.heardAt = ports.now();
    this.open();
    this.stop = ports.every(LOOK_MS, () => this.look());
  }

  state(): FeedState {
    return this.known;
  }

  mode(): LinkNews & { kind: 'mode' } {
    return { kind: 'mode', mode: this.present, asOf: this.age.asOf };
  }

  close(): void {
    this.hasEnded = true;
    this.stop();
    this.source?.close();
  }

  private setMode(next: LinkMode): void {
    if (next === this.present) return;
    this.present = next;
    this.tell(this.mode());
  }

  private end(): void {
    this.hasEnded = true;
    this.source?.close();
    this.setMode('signed-out');
  }

  private take(message: FeedMessage): void {
    this.known = reduceFeed(this.known, message);
  }

  private hear(message: FeedMessage): void {
    if (this.hasEnded) return;
    this.heardAt = this.ports.now();
    this.lastId = message.id ?? this.lastId;
    this.take(message);
    this.age.hear(message, this.known, { now: this.ports.now(), openedAt: this.openedAt });
    this.tell({ kind: 'message', message });
    if (message.event === 'bye' && message.data.reason !== 'closing') this.end();
    else this.look();
  }

  private open(): void {
    this.source?.close();
    this.age.isCaughtUp = false;
    this.openedAt = this.ports.now();
    this.ending = undefined;
    const end = (why: FeedEnd): void => {
      this.ending = { why, at: this.ports.now() };
      this.wasRefused ||= why === 'refused';
      if (why === 'signed-out' && !this.hasEnded) this.end();
    };
    this.source = this.ports.open(this.lastId, (message) => this.hear(message), end);
  }

  private async ask(): Promise<void> {
    this.requestedAt = this.ports.now();
    const rows = await this.ports.ask();
    // The feed has come back meanwhile, and knows better.
    if (this.hasEnded || rows === undefined || this.heardAt > this.requestedAt) return;
    if (rows === 'signed-out') {
      this.end();
      return;
    }
    const message: FeedMessage = { event: 'snapshot', data: { livestreams: [...rows], done: true } };
    this.take(message);
    this.tell({ kind: 'message', message });
    this.answeredAt = this.requestedAt;
    this.age.answer(this.requestedAt);
    this.setMode('asking');
  }

  private look(): void {
    if (this.hasEnded) return;
    const now = this.ports.now();
    const { age, present } = this;
    // A connection that is opened anew in time changes nothing: what is shown is no older for it.
    if ((age.isCaughtUp || present === 'live') && age.at(now) <= MAX_AGE_MS) this.setMode('live');
    else if (present === 'live') this.setMode('stale');
    else if (present === 'asking' && now - this.answeredAt > ASK_MS + MAX_AGE_MS) this.setMode('stale');
    if (this.ending !== undefined && now - this.ending.at >= REOPEN_MS) this.open();
    // It is silent, or what it brings is late; a new hello sets the clock.
    else if (this.present !== 'live' && now - this.openedAt > PATIENCE_MS) this.open();
    // A server whose first answer is a refusal has no feed: nothing is gained by waiting.
    const isWithout = this.known.hello === undefined && this.wasRefused;
    const isSilent = now - this.heardAt > PATIENCE_MS;
    // Without an answer nothing is known anew, and the next look asks again.
    if ((isSilent || isWithout) && now - this.requestedAt > ASK_MS) this.ask().catch(() => undefined);
  }
}
