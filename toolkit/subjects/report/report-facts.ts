/** Reads what a report is made of. */
import { invalidInput, notFound } from '../../../domain/base/errors.ts';
import { livestreamResource } from '../../../domain/rules/broadcasts/livestream.ts';
import { runOf, type ReportFacts } from '../../../domain/rules/reports/run-report.ts';
import type { LivestreamEvent } from '../../../domain/shapes/installation/event.ts';
import type { AuditEntry } from '../../../domain/shapes/installation/security.ts';
import type { Livestream } from '../../../domain/shapes/broadcasts/livestream.ts';
import type { ReportedRun } from '../../../domain/shapes/reports/run-report.ts';
import type { Condition } from '../../../domain/ports/store.ts';
import { isTimed } from '../../../domain/shapes/schedules/planned-action.ts';
import { toIso } from '../../../domain/time/clock.ts';
import { audienceRows } from '../audience.ts';
import { runsOf } from '../planned-runs.ts';
import { getRow } from '../../crud.ts';
import type { Reads } from '../../tool.ts';

type Event = Readonly<LivestreamEvent>;

export interface ReportWanted {
  livestreamId: number;
  run?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** A broadcast of a month with an event every five minutes has fewer. */
const MAX_ROWS = 10_000;
const HOUR_MS = 3_600_000;
const MAX_SPAN_MS = 31 * 24 * HOUR_MS;
/** A workflow is written down when it has waited for its outcome. */
const LATE_MS = 60_000;

/** Throws AppError not_found and invalid_input. */
export async function readFacts(
  store: Reads,
  wanted: ReportWanted,
  { zone, nowMs }: { zone: string; nowMs: number },
): Promise<ReportFacts & { deviceIds: number[] }> {
  const { row: livestream } = await getRow(store, livestreamResource, wanted.livestreamId);
  const { events, ...time } = await timeOf(store, wanted, livestream, nowMs);
  const { from, to } = time;
  const publishingIds = [...new Set(events.flatMap(({ data }) => publishingOf(data)))];
  const [publishings, orders, actions, occurrences, recordings, audience] = await Promise.all([
    store.getMany('publishings', publishingIds),
    ordersOf(store, livestream, publishingIds, { from, to }),
    actionsOf(store, livestream.id, { from, to, nowMs }),
    occurrencesOf(store, livestream.id, { from, to }),
    store.find('recordings', { where: { livestreamId: livestream.id, started_at: { lt: to } }, limit: MAX_ROWS }),
    audienceRows(store, livestream.id, { from, to }),
  ]);
  return {
    livestream,
    zone,
    ...time,
    events,
    orders,
    actions,
    occurrences,
    audience: audience.minutes,
    recordings: recordings.rows.filter(({ ended_at }) => ended_at === null || ended_at >= from),
    names: new Map(publishings.map(({ id, name }) => [id, name])),
    deviceIds: devicesOf(events),
  };
}

function devicesOf(events: readonly Event[]): number[] {
  return [...new Set(events.flatMap(({ data }) => (typeof data['deviceId'] === 'number' ? data['deviceId'] : [])))];
}

/** The Devices of the last run that began before this instant. */
export async function devicesUntil(store: Reads, livestreamId: number, at: string): Promise<number[]> {
  return devicesOf((await timeBetween(store, livestreamId, at, at)).events);
}

interface Time {
  from: string;
  to: string;
  run: ReportedRun | null;
  events: readonly Event[];
}

function timeOf(store: Reads, wanted: ReportWanted, livestream: Readonly<Livestream>, nowMs: number): Promise<Time> {
  const { run, from, to } = wanted;
  if (from === undefined && to === undefined) return timeOfRun(store, livestream, run, nowMs);
  if (run !== undefined)
    throw invalidInput([
      { field: 'run', code: 'incompatible', message: 'is sent with from or to; send the run alone, or the instants' },
    ]);
  const toMs = to === undefined ? nowMs : Math.min(Date.parse(to), nowMs);
  const fromMs = from === undefined ? toMs - HOUR_MS : Date.parse(from);
  if (fromMs >= toMs)
    throw invalidInput([
      { field: 'from', code: 'invalid_value', message: `must be before ${toIso(toMs)}, the end of the report` },
    ]);
  if (toMs - fromMs > MAX_SPAN_MS)
    throw invalidInput([
      {
        field: 'from',
        code: 'too_large',
        message: 'is more than 31 days before the end of the report; ask for it in parts',
      },
    ]);
  return timeBetween(store, livestream.id, toIso(fromMs), toIso(toMs));
}

async function timeOfRun(
  store: Reads,
  { id, created_at }: Readonly<Livestream>,
  wanted: string | undefined,
  nowMs: number,
): Promise<Time> {
  // Both ends of a call count, and a Device's clock may be a little ahead.
  const end = toIso(nowMs + 1);
  const starts = await startsOf(store, id, { lt: end }, wanted === undefined ? 1 : MAX_ROWS);
  const at = wanted === undefined ? 0 : starts.findIndex(({ data }) => data['runId'] === wanted);
  const start = starts[at];
  if (start === undefined && wanted !== undefined) throw notFound('run', wanted);
  if (start === undefined) return { from: created_at, to: toIso(nowMs), run: null, events: [] };
  const events = await eventsOf(store, id, { gte: start.at, lt: starts[at - 1]?.at ?? end });
  const run = runOf(start, events);
  return { from: start.at, to: run.ended_at ?? toIso(nowMs), run, events };
}

async function timeBetween(store: Reads, livestreamId: number, from: string, to: string): Promise<Time> {
  const [last] = await startsOf(store, livestreamId, { lt: to }, 1);
  const [first] = await startsOf(store, livestreamId, { lt: from }, 1);
  // What was wrong already when the time began was told before.
  const events = await eventsOf(store, livestreamId, { gte: first?.at ?? from, lt: to });
  const run = last === undefined ? null : runOf(last, events);
  const isOver = run?.ended_at != null && run.ended_at < from;
  return { from, to, run: isOver ? null : run, events };
}

/** Orders to start, the newest first. */
async function startsOf(store: Reads, livestreamId: number, at: Condition, limit: number): Promise<readonly Event[]> {
  const where = { livestreamId, kind: 'start_requested', at };
  return (await store.find('events', { where, sort: { field: 'at', descending: true }, limit })).rows;
}

async function eventsOf(store: Reads, livestreamId: number, at: Condition): Promise<readonly Event[]> {
  const query = { where: { livestreamId, at }, sort: { field: 'at', descending: false }, limit: MAX_ROWS };
  return (await store.find('events', query)).rows;
}

function publishingOf(data: Event['data']): number[] {
  return typeof data['publishingId'] === 'number' ? [data['publishingId']] : [];
}

type Between = Pick<Time, 'from' | 'to'>;

/** Calls on the broadcast itself, and changes of its source and its Destinations. */
async function ordersOf(
  store: Reads,
  { id, channelId, backupChannelId }: Readonly<Livestream>,
  publishingIds: readonly number[],
  { from, to }: Between,
): Promise<Readonly<AuditEntry>[]> {
  const at = { gte: from, lt: toIso(Date.parse(to) + LATE_MS) };
  const find = async (resources: readonly string[], ids: readonly number[], outcome?: string) => {
    const where = { resource: { in: resources }, resource_id: { in: ids }, at, outcome };
    return (await store.find('audit', { where, sort: { field: 'at', descending: false }, limit: MAX_ROWS })).rows;
  };
  const channelIds = [channelId, ...(backupChannelId === null ? [] : [backupChannelId])];
  const found = await Promise.all([
    find(['Live streams', 'Workflows', 'Runtime options'], [id]),
    find(['Channels'], channelIds, 'ok'),
    find(['Publishings'], publishingIds, 'ok'),
  ]);
  return found.flat().sort((a, b) => (a.at === b.at ? a.id - b.id : a.at < b.at ? -1 : 1));
}

async function occurrencesOf(
  store: Reads,
  livestreamId: number,
  { from, to }: Between,
): Promise<ReportFacts['occurrences']> {
  const where = { livestreamId, occurrence_start: { lt: to }, occurrence_end: { gte: from } };
  const [present, past] = await Promise.all([
    store.find('firings', { where, limit: MAX_ROWS }),
    store.find('pastFirings', { where, limit: MAX_ROWS }),
  ]);
  return [...past.rows, ...present.rows].sort((a, b) => (a.occurrence_start < b.occurrence_start ? -1 : 1));
}

/** Those that were done once, and those of Schedules at each of their times. */
async function actionsOf(
  store: Reads,
  livestreamId: number,
  { from, to, nowMs }: { from: string; to: string; nowMs: number },
): Promise<ReportFacts['actions']> {
  const once = { livestreamId, scheduleId: null, execute_at: { gte: from, lt: to } };
  const { rows } = await store.find('plannedActions', { where: once, limit: MAX_ROWS });
  const relative = await store.find('plannedActions', { where: { livestreamId, scheduleId: { gte: 1 } } });
  const window = { nowMs, fromMs: Date.parse(from), toMs: Date.parse(to) };
  const runs = await runsOf({ store }, relative.rows, window);
  const atOccurrences = relative.rows.flatMap(({ id, type }) =>
    (runs.get(id) ?? []).map(({ execute_at, status, error }) => ({ id, type, execute_at, status, error })),
  );
  return [...rows.filter(isTimed), ...atOccurrences].sort((one, other) => (one.execute_at < other.execute_at ? -1 : 1));
}
