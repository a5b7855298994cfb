/** Makes spans in which viewers missed something out of the events of a broadcast. */
import type { EventKind, LivestreamEvent } from '../../shapes/installation/event.ts';
import type { Missed } from '../../shapes/reports/run-report.ts';
import { toIso } from '../../time/clock.ts';
import { ENDS, isEndOf, OFF, subjectOf } from '../rows/event-ends.ts';

type What = Missed['what'];
type Path = NonNullable<Missed['path']>;

/** In milliseconds since 1970. */
export interface Span {
  fromMs: number;
  toMs: number;
}

interface Begun extends Pick<Missed, 'what' | 'pictures' | 'publishingId' | 'path' | 'message'> {
  cause: EventKind;
  /** As `subjectOf` says it. */
  of: string;
  fromMs: number;
}

const CONDITIONS: Partial<Record<EventKind, What>> = {
  black: 'black',
  frozen: 'frozen',
  silence: 'silence',
  low_fps: 'few_pictures',
  behind: 'few_pictures',
};
/** A source that is lost, another one, or a new process of the runner tells of these anew. */
const OF_SOURCE: readonly EventKind[] = ['source_lost', 'black', 'frozen', 'silence', 'low_fps'];
const DOWN: readonly EventKind[] = ['destination_down', 'destination_retrying', 'destination_failed'];
/** A gap is over when it is told; the first of these fields that an event has is its length in seconds. */
const GAPS: Partial<Record<EventKind, readonly string[]>> = {
  encoder_stalled: ['standstillSeconds'],
  encoder_restarted: ['gapSeconds', 'onAirSeconds'],
  source_gap: ['seconds'],
};
const FOR_ALL: readonly What[] = ['nothing', 'fallback', 'black', 'frozen', 'silence'];

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const sinceMs = (value: unknown, otherwise: number): number =>
  typeof value === 'string' ? Date.parse(value) : otherwise;
const isPath = (value: unknown): value is Path => value === 'primary' || value === 'backup';

/** The spans between the two instants; `events` are those of the Live stream from the start of the run on, in their order. */
export function missedSpans(
  events: readonly Readonly<LivestreamEvent>[],
  { fromMs, toMs }: Span,
): Omit<Missed, 'viewers'>[] {
  const reader = new SpanReader();
  for (const event of events) reader.read(event);
  return reader
    .all(toMs)
    .filter((span) => span.toMs > fromMs && span.fromMs < toMs)
    .sort((a, b) => a.fromMs - b.fromMs)
    .map(({ fromMs: begun, toMs: ended, isOver, of: _of, ...facts }) => ({
      from: toIso(begun),
      to: toIso(ended),
      seconds: seconds(Math.min(ended, toMs) - Math.max(begun, fromMs)),
      ...facts,
      is_over: isOver,
    }));
}

class SpanReader {
  private open: Begun[] = [];
  private readonly closed: (Begun & Span & { isOver: boolean })[] = [];
  /** Before that nothing was there that could be lost. */
  private onAirMs: number | undefined;
  /** The sentence of an encoder that gave nothing and is about to be replaced. */
  private stalled: string | undefined;

  all(nowMs: number): (Begun & Span & { isOver: boolean })[] {
    const going = this.onAirMs === undefined ? [] : this.open;
    return [...this.closed, ...going.map((each) => ({ ...each, toMs: Math.max(nowMs, each.fromMs), isOver: false }))];
  }

  read(event: Readonly<LivestreamEvent>): void {
    const { kind, data } = event;
    const atMs = Date.parse(event.at);
    if (OFF.includes(kind) || kind === 'start_failed' || kind === 'start_requested') this.end(atMs);
    else if (kind === 'started') this.begin(atMs);
    else this.close(endMs(event, atMs), (each) => endsSpan(event, each));
    if (kind === 'behind_ended') this.closed.forEach((each) => countDropped(each, atMs, data));
    const begun = this.withCause(event, begunBy(event, atMs));
    if (begun === undefined) return;
    if ('toMs' in begun) this.keep(begun, begun.toMs);
    else if (!this.open.some((each) => isSame(each, begun))) this.open.push(begun);
  }

  /** An encoder that gave nothing is killed for it: its successor tells of the gap, and the standstill is the cause. */
  private withCause<B extends Begun>(
    { kind, data, message }: Readonly<LivestreamEvent>,
    begun: B | undefined,
  ): B | undefined {
    const { stalled } = this;
    if (kind === 'encoder_stalled') this.stalled = data['silentMs'] === undefined ? undefined : message;
    if (kind !== 'encoder_restarted') return begun;
    this.stalled = undefined;
    if (begun === undefined || stalled === undefined) return begun;
    return { ...begun, cause: 'encoder_stalled', message: `${stalled} ${message}` };
  }

  private begin(atMs: number): void {
    this.onAirMs = atMs;
    this.open = this.open.map((each) => ({ ...each, fromMs: Math.max(each.fromMs, atMs) }));
  }

  private end(atMs: number): void {
    this.close(atMs, () => true);
    this.onAirMs = undefined;
  }

  private close(atMs: number, isOver: (each: Begun) => boolean): void {
    for (const each of this.open.filter(isOver)) this.keep(each, atMs);
    this.open = this.open.filter((each) => !isOver(each));
  }

  private keep(begun: Begun, toMs: number): void {
    if (this.onAirMs === undefined || toMs <= this.onAirMs) return;
    const fromMs = Math.max(begun.fromMs, this.onAirMs);
    this.closed.push({ ...begun, fromMs, toMs: Math.max(toMs, fromMs), isOver: true });
  }
}

/** One that has an end already is over. */
function begunBy(event: Readonly<LivestreamEvent>, atMs: number): Begun | (Begun & Span) | undefined {
  const { kind, data, message } = event;
  const common = { cause: kind, of: subjectOf(data), message, pictures: null, publishingId: null, path: null };
  const agoMs = (value: unknown): number => atMs - (numberOf(value) ?? 0) * 1000;
  const condition = CONDITIONS[kind];
  if (condition !== undefined) {
    return { ...common, what: condition, fromMs: sinceMs(data['since'], agoMs(data['seconds'])) };
  }
  // Its last picture stands still before viewers get the fallback.
  if (kind === 'source_lost')
    return { ...common, what: data['copied'] === true ? 'nothing' : 'fallback', fromMs: sinceMs(data['since'], atMs) };
  if (kind === 'device_lost') return { ...common, what: 'not_known', fromMs: sinceMs(data['away_since'], atMs) };
  if (DOWN.includes(kind)) {
    const path = isPath(data['path']) ? data['path'] : 'primary';
    return { ...common, what: 'nothing', publishingId: numberOf(data['publishingId']) ?? null, path, fromMs: atMs };
  }
  if (kind === 'runtime_changed' && typeof data['blackout'] === 'string' && data['blackout'] !== 'Live')
    return { ...common, what: 'ordered_black', fromMs: atMs };
  return gapOf(event, atMs);
}

/** A gap that the event tells of once it is over. The Device that has lost a run tells of its end later. */
function gapOf({ kind, data, message }: Readonly<LivestreamEvent>, atMs: number): Begun | (Begun & Span) | undefined {
  const common = {
    cause: kind,
    of: subjectOf(data),
    message,
    what: kind !== 'source_gap' ? 'nothing' : data['soundOnly'] === true ? 'silence' : 'frozen',
    publishingId: null,
    path: null,
  } as const;
  const gap = GAPS[kind]?.map((field) => numberOf(data[field])).find((seconds) => seconds !== undefined);
  if (gap !== undefined) {
    // An event that waits for the count of what is lost says itself when the gap began.
    const fromMs = sinceMs(data['since'], atMs - gap * 1000);
    return { ...common, pictures: numberOf(data['lostPictures']) ?? null, fromMs, toMs: fromMs + gap * 1000 };
  }
  const isLost = kind === 'encoder_restarted' && typeof data['runId'] === 'string';
  return isLost ? { ...common, pictures: null, fromMs: atMs } : undefined;
}

/** A path that comes and goes takes the stream for some seconds before that is told. */
function endMs({ kind, data }: Readonly<LivestreamEvent>, atMs: number): number {
  return kind === 'destination_up' ? sinceMs(data['since'], atMs) : atMs;
}

function endsSpan(event: Readonly<LivestreamEvent>, each: Begun): boolean {
  const { kind, data } = event;
  if (each.cause === 'runtime_changed') return data['blackout'] !== undefined;
  if (each.publishingId !== null) {
    const isOfIt = data['publishingId'] === each.publishingId && data['path'] === each.path;
    return (isOfIt && ENDS[kind]?.includes(each.cause) === true) || isTurnedOff(data['paths'], each);
  }
  if (each.cause === 'encoder_restarted') return kind === 'destination_up';
  const isNewSource = kind === 'failover' && data['publishingId'] === undefined;
  const isNewProcess = kind === 'encoder_restarted' && data['runner'] === true;
  if (OF_SOURCE.includes(each.cause) && (isNewSource || isNewProcess)) return true;
  if (kind === 'source_lost') return OF_SOURCE.includes(each.cause) && each.cause !== 'source_lost';
  return isEndOf(event, { kind: each.cause, of: each.of });
}

function isTurnedOff(paths: unknown, { publishingId, path }: Begun): boolean {
  if (!Array.isArray(paths) || path === null) return false;
  return (paths as Record<string, unknown>[]).some(
    (change) => change['publishingId'] === publishingId && change[path] === false,
  );
}

/** The next event of what lasts already is no second outage. */
function isSame(one: Begun, other: Begun): boolean {
  return one.what === other.what && one.publishingId === other.publishingId && one.path === other.path;
}

function countDropped(each: Begun & Span, atMs: number, data: LivestreamEvent['data']): void {
  if (each.cause === 'behind' && each.toMs === atMs) each.pictures = numberOf(data['dropped']) ?? null;
}

/** The spans in which all viewers had something else than the programme, or nothing, joined where they overlap. */
export function spansForAll(missed: readonly Missed[]): Span[] {
  return joined(missed.filter(({ what, publishingId }) => publishingId === null && FOR_ALL.includes(what)).map(spanOf));
}

/** The spans in which no path of the Destination took the stream; `paths` are those that it has been delivered by. */
export function spansOfDestination(missed: readonly Missed[], publishingId: number, paths: readonly Path[]): Span[] {
  const ofPath = (path: Path): Span[] =>
    joined(missed.filter((each) => each.publishingId === publishingId && each.path === path).map(spanOf));
  const [first, ...others] = (paths.length === 0 ? (['primary'] as const) : paths).map(ofPath);
  return others.reduce<Span[]>((both, spans) => overlaps(both, spans), first ?? []);
}

export function secondsIn(spans: readonly Span[], within: Span): number {
  const parts = overlaps(spans, [within]);
  return seconds(parts.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0));
}

function spanOf({ from, to }: Missed): Span {
  return { fromMs: Date.parse(from), toMs: Date.parse(to) };
}

function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = result.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else result.push({ ...span });
  }
  return result;
}

function overlaps(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((one) =>
    others
      .map((other) => ({ fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) }))
      .filter(({ fromMs, toMs }) => toMs > fromMs),
  );
}

function seconds(ms: number): number {
  return Number((ms / 1000).toFixed(1));
}
