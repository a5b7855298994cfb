/** Who knows of which fault, by the events of the log: everybody sees it, and it holds until the fault happens anew. */
import { signal } from '@preact/signals';
import type { Knower } from '../attention-rows.ts';
import type { StreamEvent } from '../feed.ts';
import type { Reason, Trouble } from '../health.ts';

const DESTINATION = ['destination_down', 'destination_retrying', 'destination_failed'];
/** The events of each trouble; the others are measured by each page for itself, and no event tells of them. */
const KINDS: Partial<Record<Reason, readonly string[]>> = {
  failed: ['start_failed', 'stopped'],
  device_offline: ['device_lost'],
  source_lost: ['source_lost'],
  source_awaited: ['source_lost'],
  no_path: DESTINATION,
  path_failed: DESTINATION,
  path_retrying: DESTINATION,
  behind: ['behind'],
  low_fps: ['low_fps'],
  black: ['black'],
  frozen: ['frozen'],
  silent: ['silence'],
  schedule_warning: ['schedule_warning'],
};
const ALL_KINDS = new Set(Object.values(KINDS).flat());
/** An event is written when a report has come, which says when it began. */
const LATE_MS = 2_000;
/** More than a station has in a night. */
const MAX_KEPT = 1_000;

interface Fault {
  id: number;
  livestreamId: number;
  kind: string;
  /** 0: it is about no Destination. */
  publishingId: number;
  at: number;
}
interface Known extends Fault {
  knower: Knower;
}

export const kindsOf = ({ reason }: Pick<Trouble, 'reason'>): readonly string[] => KINDS[reason] ?? [];

const faults = signal<ReadonlyMap<number, Fault>>(new Map());
const known = signal<ReadonlyMap<number, Known>>(new Map());

type Noted = Pick<StreamEvent, 'id' | 'livestreamId' | 'kind' | 'at' | 'data'>;

/** Takes events of the feed or of the log. */
export function noteFaults(events: readonly Noted[]): void {
  const begun = events.filter(({ kind }) => ALL_KINDS.has(kind)).flatMap(faultOf);
  if (begun.some(({ id }) => !faults.peek().has(id))) faults.value = withNew(faults.peek(), begun);
  const acknowledgements = events.filter(({ kind }) => kind === 'acknowledged').flatMap(knownOf);
  if (acknowledgements.some(({ id }) => !known.peek().has(id))) known.value = withNew(known.peek(), acknowledgements);
}

function withNew<F extends Fault>(before: ReadonlyMap<number, F>, news: readonly F[]): ReadonlyMap<number, F> {
  const all = new Map([...before, ...news.map((each) => [each.id, before.get(each.id) ?? each] as const)]);
  return new Map([...all].slice(-MAX_KEPT));
}

function faultOf({ id, livestreamId, kind, at, data }: Noted): Fault[] {
  if (livestreamId === null) return [];
  const { publishingId } = data as { publishingId?: unknown };
  return [{ id, livestreamId, kind, publishingId: Number(publishingId ?? 0), at: Date.parse(at) }];
}

/** Events of servers of before do not say of what. */
function knownOf({ id, livestreamId, data }: Noted): Known[] {
  const { kind, of, event_at: at, by, note } = data as Record<string, unknown>;
  if (livestreamId === null || typeof kind !== 'string' || typeof at !== 'string') return [];
  const publishingId = Number(/publishingId (\d+)/u.exec(String(of))?.[1] ?? 0);
  const knower = { by: String(by), note: typeof note === 'string' ? note : undefined };
  return [{ id, livestreamId, kind, publishingId, at: Date.parse(at), knower }];
}

/** Whether the event tells of the trouble as it is now. */
export function isEventOf(event: Noted, id: number, { since, publishingId = 0 }: Trouble): boolean {
  return faultOf(event).some(
    (fault) =>
      fault.livestreamId === id &&
      fault.publishingId === publishingId &&
      since !== undefined &&
      fault.at >= since - LATE_MS,
  );
}

/** Undefined while nobody knows, or since it has happened anew. Instants of one fault are all of one clock, that of its Device. */
export function knowerOf(id: number, trouble: Trouble): Knower | undefined {
  const { since, publishingId = 0 } = trouble;
  const kinds = kindsOf(trouble);
  if (since === undefined || kinds.length === 0) return undefined;
  const isOfIt = (fault: Fault): boolean =>
    fault.livestreamId === id && kinds.includes(fault.kind) && fault.publishingId === publishingId;
  const last = [...known.value.values()]
    .filter(isOfIt)
    .reduce<Known | undefined>(
      (latest, each) => (latest === undefined || each.at >= latest.at ? each : latest),
      undefined,
    );
  if (last === undefined || last.at < since - LATE_MS) return undefined;
  const isNew = [...faults.value.values()].some((fault) => isOfIt(fault) && fault.at > last.at);
  return isNew ? undefined : last.knower;
}
