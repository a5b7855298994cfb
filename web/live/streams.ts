/** The live state as signals, one a stream, so that a change of one writes its own tile and no other. */
import { batch, computed, signal, type Signal } from '@preact/signals';
import { EMPTY_FEED, reduceFeed, type FeedMessage, type FeedState, type Stream, type StreamEvent } from './feed.ts';
import { conditionsAfter, healthOf, type Conditions, type Health } from './health.ts';
import { openLink, type LinkMode, type LinkNews } from './link.ts';
import { moment, setServerTime } from './clock.ts';
import { stationZone } from '../shown-zone.ts';

export const linkMode = signal<LinkMode>('connecting');
/** Milliseconds since 1970, this browser's clock. */
export const heardAt = signal(0);
export const isStale = computed(() => linkMode.value === 'stale' || linkMode.value === 'signed-out');
export const feed = signal<FeedState>(EMPTY_FEED);
export const streamIds = signal<readonly number[]>([]);

/** Of the feed, newest last, as many as a person reads. */
export const recentEvents = signal<readonly StreamEvent[]>([]);
const MAX_EVENTS = 300;

const streams = new Map<number, Signal<Stream>>();
const conditions = new Map<number, Conditions>();
let stop: (() => void) | undefined;

export function streamSignal(id: number): Signal<Stream> | undefined {
  return streams.get(id);
}

export function healthOfStream(id: number): Health | undefined {
  const stream = streams.get(id)?.value;
  if (stream === undefined) return undefined;
  const device = stream.status.deviceId === null ? undefined : feed.value.devices.get(stream.status.deviceId);
  return healthOf({ stream, conditions: conditions.get(id) ?? {}, device, now: moment.value });
}

function adopt(next: FeedState): void {
  const before = feed.value.streams;
  feed.value = next;
  for (const [id, stream] of next.streams) {
    if (before.get(id) === stream) continue;
    const present = streams.get(id);
    if (present === undefined) streams.set(id, signal(stream));
    else present.value = stream;
    measure(id, before.get(id), stream);
  }
  for (const id of streams.keys()) if (!next.streams.has(id)) streams.delete(id);
  const shown = [...next.streams.values()]
    .filter(({ status }) => status.status > 0)
    .sort((one, other) => one.status.name.localeCompare(other.status.name, undefined, { numeric: true }))
    .map(({ status }) => status.livestreamId);
  if (shown.join() !== streamIds.value.join()) streamIds.value = shown;
}

function measure(id: number, before: Stream | undefined, { rates }: Stream): void {
  if (rates === undefined || rates === before?.rates) return;
  const droppedOf = (stream: Stream['rates']): number => stream?.encodings.reduce((sum, row) => sum + row[4], 0) ?? 0;
  const speeds = rates.encodings.map((row) => row[3]);
  const sample = {
    at: rates.at,
    fps: rates.fps,
    usualFps: usualFps(id, rates.fps),
    speed: speeds.length > 0 ? Math.min(...speeds) : undefined,
    flags: rates.flags,
    dropped: before?.rates === undefined ? 0 : Math.max(0, droppedOf(rates) - droppedOf(before.rates)),
  };
  conditions.set(id, conditionsAfter(conditions.get(id) ?? {}, sample));
}

const minutes = new Map<number, number[]>();

/** Mean of the minute before this second; 0 until there are ten. */
function usualFps(id: number, fps: number): number {
  const known = minutes.get(id) ?? [];
  const mean = known.length < 10 ? 0 : known.reduce((sum, each) => sum + each, 0) / known.length;
  minutes.set(id, [...known.slice(-59), fps]);
  return mean;
}

type News = LinkNews | { kind: 'state'; state: FeedState };

function take(news: News, onMessage: (message: FeedMessage) => void): void {
  batch(() => {
    if (news.kind === 'mode') {
      linkMode.value = news.mode;
      heardAt.value = news.heardAt || heardAt.value;
      return;
    }
    heardAt.value = Date.now();
    if (news.kind === 'state') {
      stationZone.value = news.state.hello?.timezone ?? stationZone.value;
      adopt(news.state);
      return;
    }
    const { message } = news;
    if (message.event === 'hello') {
      setServerTime(Date.parse(message.data.server_time));
      stationZone.value = message.data.timezone;
    }
    if (message.event === 'event') recentEvents.value = [...recentEvents.peek(), message.data].slice(-MAX_EVENTS);
    adopt(reduceFeed(feed.value, message));
    onMessage(message);
  });
}

/** Opens the feed for the session that has begun; `onMessage` sees each message after the state has it. */
export function openFeed(root: string, onMessage: (message: FeedMessage) => void): void {
  stop?.();
  linkMode.value = 'connecting';
  const worker = document.querySelector<HTMLMetaElement>('meta[name=worker]')?.content;
  if (typeof SharedWorker === 'undefined' || worker === undefined) {
    stop = openLink(root, (news) => take(news, onMessage)).close;
    return;
  }
  const { port } = new SharedWorker(new URL(worker, document.baseURI), { type: 'module', name: 'onair' });
  port.onmessage = ({ data }: MessageEvent<News>) => take(data, onMessage);
  port.postMessage({ root });
  const close = (): void => port.postMessage({ close: true });
  addEventListener('pagehide', close);
  stop = () => {
    removeEventListener('pagehide', close);
    close();
    port.close();
  };
}

export function closeFeed(): void {
  stop?.();
  stop = undefined;
}
