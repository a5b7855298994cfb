/** The live state as signals, one set a stream, so that a change of one writes its own tile and no other. */
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { stationZone } from '../shown-zone.ts';
import { correctServerTime, moment, setServerTime } from './clock.ts';
import { EMPTY_FEED, reduceFeed, type FeedMessage, type FeedState, type Stream, type StreamEvent } from './feed.ts';
import { conditionsAfter, type Conditions } from './conditions.ts';
import { healthOf, isSameHealth, type Health } from './health.ts';
import { FigureHistory } from './histories.ts';
import type { Told } from './hub.ts';
import type { LinkMode } from './link.ts';
import { noteFaults } from './faults/known-faults.ts';
import { measuredNow } from './measured.ts';
import { isPictureLate } from './pictures/picture-ages.ts';
import type { By, LivestreamStatus, Path, Rates } from './status.ts';
import { warningOf } from './warnings.ts';

export const linkMode = signal<LinkMode>('connecting');
/** Milliseconds since 1970, the server's clock: all that is shown was so then. */
export const heardAt = signal(0);
/** Whether what is shown is old; before the first news there is nothing that could be. */
export const isStale = computed(() => {
  const mode = linkMode.value;
  return mode === 'stale' || mode === 'signed-out' || (mode === 'connecting' && heardAt.value > 0);
});
const unknownSince = computed(() => (isStale.value ? heardAt.value : undefined));
export const feed = signal<FeedState>(EMPTY_FEED);
/** Whether all streams are known: before that, an absent one is not off. */
export const isComplete = computed(() => feed.value.complete);
export const devices = computed(() => feed.value.devices);
/** Live streams of status > 0, by name. */
export const streamIds = signal<readonly number[]>([]);
/** Events of the feed, newest last, as many as a person reads. */
export const recentEvents = signal<readonly StreamEvent[]>([]);
const MAX_EVENTS = 300;

export interface StreamView {
  stream: Signal<Stream>;
  status: ReadonlySignal<LivestreamStatus>;
  /** The figures of the last second; undefined while nothing is measured, or known. */
  rates: ReadonlySignal<Rates | undefined>;
  /** Bits of FLAGS. */
  flags: ReadonlySignal<number>;
  /** The last change, and when it was heard by the server's clock. */
  by: Signal<{ by: By; at: number } | undefined>;
  health: ReadonlySignal<Health>;
  history: FigureHistory;
}

interface OwnView extends StreamView {
  conditions: Signal<Conditions>;
}

const views = new Map<number, OwnView>();

/** Answers all that is known of a Live stream; undefined while it is not known. Whoever asks before it is known follows until it is. */
export function viewOf(id: number): StreamView | undefined {
  return views.get(id) ?? followed();
}

function followed(): undefined {
  void streamIds.value;
  return undefined;
}

export function streamSignal(id: number): Signal<Stream> | undefined {
  return views.get(id)?.stream;
}

export function healthOfStream(id: number): Health | undefined {
  return views.get(id)?.health.value;
}

/** The state of a path, as far as it is known. */
export function pathStateOf({ enabled, state }: Pick<Path, 'enabled' | 'state'>): Path['state'] | 'off' | 'unknown' {
  if (isStale.value) return 'unknown';
  return enabled ? state : 'off';
}

/** The streams that have a word to say in Attention: those of status > 0, and those whose Schedule could not start. */
export function allStreamIds(): readonly number[] {
  return [...views.keys()];
}

function createView(id: number, first: Stream): OwnView {
  const stream = signal(first);
  const conditions = signal<Conditions>({});
  const status = computed(() => stream.value.status);
  const device = computed(() =>
    status.value.deviceId === null ? undefined : devices.value.get(status.value.deviceId),
  );
  let known: Health | undefined;
  const health = computed((): Health => {
    const next = healthOf({
      stream: { status: status.value },
      conditions: conditions.value,
      device: device.value,
      now: moment.value,
      unknownSince: unknownSince.value,
      warning: warningOf(id, moment.value),
      latePictureSince: isPictureLate(id, moment.value),
    });
    // The same answer is the same object: what shows it is left alone.
    known = known !== undefined && isSameHealth(known, next) ? known : next;
    return known;
  });
  const view: OwnView = {
    stream,
    status,
    rates: computed(() => (isStale.value ? undefined : measuredNow(stream.value, moment.value))),
    flags: computed(() => stream.value.flags),
    by: signal(undefined),
    health,
    history: new FigureHistory(),
    conditions,
  };
  return view;
}

function adopt(next: FeedState): void {
  const before = feed.value.streams;
  let isListOld = next.streams.size !== before.size;
  for (const [id, stream] of next.streams) {
    const old = before.get(id);
    if (old === stream) continue;
    const view = views.get(id) ?? createView(id, stream);
    views.set(id, view);
    view.stream.value = stream;
    isListOld ||= old?.status.status !== stream.status.status || old.status.name !== stream.status.name;
    if (stream.by !== undefined && stream.by !== old?.by) view.by.value = { by: stream.by, at: moment.value };
    if (stream.rates !== undefined && stream.rates !== old?.rates) measure(view, old?.rates, stream.rates);
  }
  for (const id of views.keys()) if (!next.streams.has(id)) views.delete(id);
  feed.value = next;
  if (isListOld) list(next);
}

function list({ streams }: FeedState): void {
  const shown = [...streams.values()]
    .filter(({ status }) => status.status > 0)
    .sort((one, other) => one.status.name.localeCompare(other.status.name, undefined, { numeric: true }))
    .map(({ status }) => status.livestreamId);
  if (shown.join() !== streamIds.value.join()) streamIds.value = shown;
}

const sumOf = (rates: Rates | undefined, place: 2 | 4): number =>
  rates?.encodings.reduce((sum, row) => sum + row[place], 0) ?? 0;

function measure({ conditions, history }: OwnView, before: Rates | undefined, rates: Rates): void {
  const { at, fps, kbps, encodings } = rates;
  const dropped = before === undefined ? 0 : Math.max(0, sumOf(rates, 4) - sumOf(before, 4));
  const speed = encodings.length > 0 ? Math.min(...encodings.map((row) => row[3])) : undefined;
  history.add(at, { fps, kbps, outKbps: sumOf(rates, 2), speed: speed ?? 0, dropped });
  const after = conditionsAfter(conditions.value, { at, speed, dropped });
  if (JSON.stringify(after) !== JSON.stringify(conditions.value)) conditions.value = after;
}

/** Takes what the hub says, and what that makes the mode of this window; `onMessage` sees each message after the state has it. */
export function takeNews({ news, toldAt }: Told, mode: LinkMode, onMessage: (message: FeedMessage) => void): void {
  batch(() => {
    linkMode.value = mode;
    if (news.kind === 'mode') heardAt.value = news.asOf || heardAt.value;
    else if (news.kind === 'state') {
      stationZone.value = news.state.hello?.timezone ?? stationZone.value;
      adopt(news.state);
    } else if (news.kind === 'message') {
      takeMessage(news.message, toldAt);
      onMessage(news.message);
    }
  });
}

function takeMessage(message: FeedMessage, toldAt: number): void {
  if (message.event === 'hello') {
    setServerTime(Date.parse(message.data.server_time));
    stationZone.value = message.data.timezone;
  } else if (message.event === 'rates') {
    const at = typeof message.data.at === 'number' ? message.data.at : Date.parse(message.data.at);
    correctServerTime(at, toldAt);
    if (linkMode.value === 'live') heardAt.value = at;
  } else if (message.event === 'event') {
    recentEvents.value = [...recentEvents.value, message.data].slice(-MAX_EVENTS);
    noteFaults([message.data]);
  }
  adopt(reduceFeed(feed.value, message));
}

/**
 * Takes what the answer of an act says to be in force. While the feed is fresh it knows no less, and it alone knows what another person did
 * meanwhile.
 */
export function takeAnswer(row: LivestreamStatus): void {
  if (linkMode.peek() === 'live') return;
  batch(() => adopt(reduceFeed(feed.peek(), { event: 'status', data: { livestreams: [row] } })));
}
