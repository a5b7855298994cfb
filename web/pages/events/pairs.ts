/** Makes faults with a beginning and an end out of the events of the log, by the ends that the server has for them. */
import { ENDS, ENDS_ANY, OFF, SUBJECTS } from '../../gen/event-ends.ts';
import type { StreamEvent } from '../../live/feed.ts';

const DESTINATION = ['destination_down', 'destination_retrying', 'destination_failed'];
const LASTING = new Set(Object.values(ENDS).flat());

export interface Incident {
  /** That of the event it began with. */
  id: number;
  livestreamId: number | null;
  /** As the page names it. */
  kind: Kind;
  severity: 'warning' | 'error';
  message: string;
  /** Milliseconds since 1970. */
  setAt: number;
  /** Undefined while it goes on. */
  clearedAt: number | undefined;
  knownBy: { by: string; note: string | undefined } | undefined;
}

export const KINDS = [
  'source_lost',
  'source_gap',
  'silence',
  'black',
  'frozen',
  'low_fps',
  'behind',
  'destination',
  'device_lost',
  'start_failed',
  'schedule_missed',
  'action_failed',
  'recording_backup_failed',
  'other',
] as const;
export type Kind = (typeof KINDS)[number];

interface Open extends Incident {
  /** The kinds of its events in the log. */
  kinds: string[];
  ids: number[];
  of: string;
}

const dataOf = ({ data }: StreamEvent): Record<string, unknown> => data as Record<string, unknown>;

function subjectOf(event: StreamEvent): string {
  const data = dataOf(event);
  return SUBJECTS.flatMap((name) => (data[name] === undefined ? [] : [`${name} ${String(data[name])}`])).join();
}

const kindOf = (kind: string): Kind => {
  if (DESTINATION.includes(kind)) return 'destination';
  return KINDS.find((each) => each === kind) ?? 'other';
};

/** It has lasted for some time when it is told. */
function beganAt(event: StreamEvent): number {
  const { since, seconds } = dataOf(event);
  const at = Date.parse(event.at);
  if (typeof since === 'string') return Date.parse(since);
  return typeof seconds === 'number' && LASTING.has(event.kind) ? at - seconds * 1000 : at;
}

/** Newest first; `events` are all that there are from some instant on, in any order. */
export function incidentsOf(events: readonly StreamEvent[]): Incident[] {
  const all: Open[] = [];
  let open: Open[] = [];
  for (const event of [...events].sort(
    (one, other) => Date.parse(one.at) - Date.parse(other.at) || one.id - other.id,
  )) {
    const ended = open.filter((incident) => isEndOf(event, incident));
    for (const incident of ended) incident.clearedAt = Date.parse(event.at);
    open = open.filter((incident) => !ended.includes(incident));
    if (event.kind === 'acknowledged') noteKnown(all, event);
    const begun = begunBy(event);
    if (begun === undefined) continue;
    const same = open.find((each) => isSame(each, begun));
    if (same !== undefined) goOn(same, begun);
    else {
      all.push(begun);
      if (begun.clearedAt === undefined) open.push(begun);
    }
  }
  return all.sort((one, other) => other.setAt - one.setAt || other.id - one.id);
}

function isEndOf(event: StreamEvent, { livestreamId, kinds, of }: Open): boolean {
  if (event.livestreamId !== livestreamId) return false;
  if (OFF.includes(event.kind)) return true;
  const isItsEnd = kinds.some((kind) => ENDS[event.kind]?.includes(kind));
  return isItsEnd && (ENDS_ANY.includes(event.kind) || subjectOf(event) === of);
}

/** A fault without an end of its own is over at once; all that is no fault is left out. */
function begunBy(event: StreamEvent): Open | undefined {
  const { id, livestreamId, kind, severity, message, at } = event;
  const lasts = LASTING.has(kind);
  if (severity === 'info' && !lasts) return undefined;
  return {
    id,
    livestreamId,
    kind: kindOf(kind),
    severity: severity === 'error' ? 'error' : 'warning',
    message,
    setAt: beganAt(event),
    clearedAt: lasts ? undefined : Date.parse(at),
    knownBy: undefined,
    kinds: [kind],
    ids: [id],
    of: subjectOf(event),
  };
}

const isSame = (one: Open, { livestreamId, kind, of }: Open): boolean =>
  one.livestreamId === livestreamId && one.kind === kind && one.of === of;

/** The next event of what goes on already: another reason, or a worse one. Who knew of the last one may not know of this. */
function goOn(same: Open, { id, severity, message, kinds }: Open): void {
  same.kinds.push(...kinds);
  same.ids.push(id);
  same.message = message;
  if (severity === 'error') same.severity = severity;
  same.knownBy = undefined;
}

function noteKnown(all: readonly Open[], event: StreamEvent): void {
  const { eventId, by, note } = dataOf(event);
  const incident = all.find(({ ids }) => ids.includes(Number(eventId)));
  if (incident !== undefined) incident.knownBy = { by: String(by), note: typeof note === 'string' ? note : undefined };
}

/** The event by which people acknowledge it: its last one. */
export const eventOf = (incident: Incident): number => Math.max(...(incident as Open).ids);
