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

/** What the worker says to a window; `asOf` is the instant by the server's clock at which all that is known was so. */
export type LinkNews = { kind: 'message'; message: FeedMessage } | { kind: 'mode'; mode: LinkMode; asOf: number };

export interface FeedSource {
  close(): void;
}

/** `refused`: the server has an answer, and no feed. */
type FeedEnd = 'signed-out' | 'refused' | 'broken';

/** What the link has of its surroundings. */
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
  let source: FeedSource | undefined;
  let state = EMPTY_FEED;
  let mode: LinkMode = 'connecting';
  const age = new Age();
  let lastId: string | undefined;
  let ending: { why: FeedEnd; at: number } | undefined;
  let openedAt = ports.now();
  let heardAt = ports.now();
  let askedAt = -Infinity;
  let answeredAt = -Infinity;
  let wasRefused = false;
  let ended = false;

  const modeNews = (): LinkNews & { kind: 'mode' } => ({ kind: 'mode', mode, asOf: age.asOf });
  const setMode = (next: LinkMode): void => {
    if (next === mode) return;
    mode = next;
    tell(modeNews());
  };
  const end = (): void => {
    ended = true;
    source?.close();
    setMode('signed-out');
  };
  const hear = (message: FeedMessage): void => {
    if (ended) return;
    heardAt = ports.now();
    lastId = message.id ?? lastId;
    state = reduceFeed(state, message);
    age.hear(message, state, { now: ports.now(), openedAt });
    tell({ kind: 'message', message });
    if (message.event === 'bye' && message.data.reason !== 'closing') end();
    else look();
  };
  const open = (): void => {
    source?.close();
    age.isCaughtUp = false;
    openedAt = ports.now();
    ending = undefined;
    source = ports.open(lastId, hear, (why) => {
      ending = { why, at: ports.now() };
      wasRefused ||= why === 'refused';
      if (why === 'signed-out' && !ended) end();
    });
  };
  const ask = async (): Promise<void> => {
    askedAt = ports.now();
    const rows = await ports.ask();
    // The feed has come back meanwhile, and knows better.
    if (ended || rows === undefined || heardAt > askedAt) return;
    if (rows === 'signed-out') {
      end();
      return;
    }
    const message: FeedMessage = { event: 'snapshot', data: { livestreams: [...rows], done: true } };
    state = reduceFeed(state, message);
    tell({ kind: 'message', message });
    answeredAt = askedAt;
    age.answer(askedAt);
    setMode('asking');
  };
  const look = (): void => {
    if (ended) return;
    const now = ports.now();
    // A connection that is opened anew in time changes nothing: what is shown is no older for it.
    if ((age.isCaughtUp || mode === 'live') && age.at(now) <= MAX_AGE_MS) setMode('live');
    else if (mode === 'live') setMode('stale');
    else if (mode === 'asking' && now - answeredAt > ASK_MS + MAX_AGE_MS) setMode('stale');
    const sinceOpened = now - openedAt;
    if (ending !== undefined && now - ending.at >= REOPEN_MS) open();
    // It is silent, or what it brings is late; a new hello sets the clock.
    else if (mode !== 'live' && sinceOpened > PATIENCE_MS) open();
    // A server whose first answer is a refusal has no feed: nothing is gained by waiting.
    const isWithout = state.hello === undefined && wasRefused;
    if ((now - heardAt > PATIENCE_MS || isWithout) && now - askedAt > ASK_MS) ask().catch(() => undefined);
  };
  open();
  const stop = ports.every(LOOK_MS, look);
  return {
    state: () => state,
    mode: modeNews,
    close() {
      ended = true;
      stop();
      source?.close();
    },
  };
}
