/** Keeps the feed open, and asks every five seconds where there is none. It runs in the shared worker, or in the page where there is none. */
import { reduceFeed, EMPTY_FEED, type FeedMessage, type FeedState } from './feed.ts';

/** No feed for this long: the status is asked for. */
const PATIENCE_MS = 10_000;
const ASK_MS = 5_000;
/** The server sends rates each second. */
const SILENCE_MS = 3_000;
const REOPEN_MS = 2_000;
const EVENTS = ['hello', 'snapshot', 'status', 'rates', 'event', 'device', 'changed', 'bye'] as const;

export type LinkMode = 'connecting' | 'live' | 'stale' | 'asking' | 'signed-out';

/** What the worker says to a window. */
export type LinkNews = { kind: 'message'; message: FeedMessage } | { kind: 'mode'; mode: LinkMode; heardAt: number };

/** The API's root with the feed and the status below it. */
export function openLink(
  root: string,
  tell: (news: LinkNews) => void,
): { state: () => FeedState; mode: () => LinkNews; close(): void } {
  let source: EventSource | undefined;
  let state = EMPTY_FEED;
  let mode: LinkMode = 'connecting';
  let heardAt = 0;
  let askedAt = -Infinity;
  let openedAt = performance.now();
  let heardFeedAt = performance.now();
  let ended = false;

  const modeNews = (): LinkNews => ({ kind: 'mode', mode, heardAt });
  const setMode = (next: LinkMode): void => {
    if (next === mode) return;
    mode = next;
    tell(modeNews());
  };
  const take = (message: FeedMessage): void => {
    heardAt = Date.now();
    state = reduceFeed(state, message);
    tell({ kind: 'message', message });
  };
  const end = (): void => {
    ended = true;
    source?.close();
    setMode('signed-out');
  };
  const hear = (event: FeedMessage['event'], { data, lastEventId }: MessageEvent<string>): void => {
    heardFeedAt = performance.now();
    const message = {
      event,
      data: JSON.parse(data),
      ...(lastEventId !== '' && event !== 'rates' && { id: lastEventId }),
    } as FeedMessage;
    take(message);
    if (message.event === 'bye' && message.data.reason !== 'closing') end();
    else setMode('live');
  };
  const open = (): void => {
    source?.close();
    openedAt = performance.now();
    source = new EventSource(`${root}/feed`, { withCredentials: true });
    for (const event of EVENTS)
      source.addEventListener(event, (message) => hear(event, message as MessageEvent<string>));
  };
  const ask = async (): Promise<void> => {
    askedAt = performance.now();
    const response = await fetch(`${root}/livestreams/status?pageSize=500`, { credentials: 'same-origin' });
    if (response.status === 401) end();
    if (!response.ok || mode === 'live') return;
    const { rows } = (await response.json()) as { rows: never[] };
    take({ event: 'snapshot', data: { livestreams: rows, done: true } });
    setMode('asking');
  };
  const look = (): void => {
    if (ended) return;
    const now = performance.now();
    const silentMs = now - heardFeedAt;
    if (source?.readyState === 2 && now - openedAt > REOPEN_MS) open();
    if (mode === 'live' && silentMs > SILENCE_MS) setMode('stale');
    if (mode === 'asking' && Date.now() - heardAt > ASK_MS + SILENCE_MS) setMode('stale');
    // A server whose first answer is a refusal has no feed: nothing is gained by waiting.
    const isWithout = state.hello === undefined && source?.readyState === 2;
    if ((silentMs > PATIENCE_MS || isWithout) && now - askedAt > ASK_MS) ask().catch(() => undefined);
  };
  open();
  const timer = setInterval(look, 500);
  return {
    state: () => state,
    mode: modeNews,
    close() {
      ended = true;
      clearInterval(timer);
      source?.close();
    },
  };
}
