/** Occurrences over a window: recorded ones as their firings say, here or in history, and coming ones as they are planned. */
import { toIso } from '../../time/clock.ts';
import { invalidInput, ruleViolated } from '../../base/errors.ts';
import { LAST_INSTANT_MS } from '../../time/recurrence.ts';
import type { Firing, OccurrenceView, PastFiring, Schedule } from '../../shapes/schedules/schedule.ts';
import type { Query, View } from '../../ports/store.ts';
import { byStart, plannedBetween, PlannedWindows, type Occurring } from './planned-occurrences.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const MAX_MS = 366 * DAY_MS;
/** The occurrences of 50 daily Schedules in a year; nobody reads a larger window. */
const MAX_OCCURRENCES = 20_000;
type Rows = readonly Readonly<Schedule>[];
const plannedWindows = new PlannedWindows();

export interface OccurrenceWindow {
  fromMs: number;
  toMs: number;
  scheduleId?: number | undefined;
  livestreamId?: number | undefined;
  /** Substring of the name of the Schedule. */
  search?: string | undefined;
}

interface OccurrenceQuery extends Pick<OccurrenceWindow, 'scheduleId' | 'livestreamId' | 'search'> {
  from?: string | undefined;
  to?: string | undefined;
}

/** The requested window; the next week by default. Throws AppError invalid_input. */
export function windowOf(query: OccurrenceQuery, nowMs: number): OccurrenceWindow {
  const fromMs = query.from === undefined ? nowMs : Date.parse(query.from);
  const toMs = query.to === undefined ? Math.min(fromMs + WEEK_MS, LAST_INSTANT_MS) : Date.parse(query.to);
  const refuse = (code: string, message: string): never => {
    throw invalidInput([{ field: 'to', code, message }]);
  };
  if (toMs <= fromMs) refuse('order', `must be later than from, which is ${toIso(fromMs)}`);
  if (toMs - fromMs > MAX_MS) refuse('too_large', 'must be 366 days after from at most; ask for the rest apart');
  const { scheduleId, livestreamId, search } = query;
  return { fromMs, toMs, scheduleId, livestreamId, search };
}

type Order = (a: Occurring, b: Occurring) => number;
const ORDERS: Readonly<Record<string, Order>> = {
  start: (a, b) => a.startMs - b.startMs,
  end: (a, b) => a.endMs - b.endMs,
  id: (a, b) => a.scheduleId - b.scheduleId,
  scheduleId: (a, b) => a.scheduleId - b.scheduleId,
  livestreamId: (a, b) => a.livestreamId - b.livestreamId,
  state: (a, b) => Number(a.state > b.state) - Number(a.state < b.state),
};

/** One page in the requested order; ties by start, then by Schedule. */
export function pageOfOccurrences(
  occurrences: readonly Occurring[],
  sort: { field: string; descending: boolean } | undefined,
  { page, pageSize }: { page: number; pageSize: number },
): OccurrenceView[] {
  const order = ORDERS[sort?.field ?? 'start']!;
  const sign = sort?.descending === true ? -1 : 1;
  return [...occurrences]
    .sort((a, b) => sign * order(a, b) || byStart(a, b))
    .slice((page - 1) * pageSize, page * pageSize)
    .map(({ startMs, endMs, ...row }) => ({ ...row, start: toIso(startMs), end: toIso(endMs) }));
}

/**
 * Occurrences that are on at some time within [from, to), in no order. One that did not happen because its Schedule was paused is not among
 * them. Throws AppError rule_violated when there are too many.
 */
export function occurrencesOf(view: View, window: OccurrenceWindow, now: string): readonly Occurring[] {
  const { search = '' } = window;
  const { schedules, planned } = plannedOf(view, window, now);
  const ids = new Set(search === '' ? [] : schedules.map(({ id }) => id));
  // An occurrence of a deleted Schedule has no name to search.
  const records = recorded(view, window).filter((row) => search === '' || ids.has(row.scheduleId));
  return replaced(replaced(planned, records), skipped(view, window, { schedules, planned, records }, now));
}

/** Query of `pastFirings` for withPast. It runs after occurrencesOf, because firings move from there to history. */
export function pastQuery(window: OccurrenceWindow): Query {
  const { scheduleId, livestreamId } = window;
  return { where: { scheduleId, livestreamId, ...within(window) }, limit: MAX_OCCURRENCES + 1 };
}

/** Adds to occurrencesOf those whose record is in history. */
export function withPast(
  view: View,
  occurrences: readonly Occurring[],
  past: readonly Readonly<PastFiring>[],
  { search = '' }: OccurrenceWindow,
): readonly Occurring[] {
  // Not all of them were read, so it does not matter any more which ones are listed.
  if (past.length > MAX_OCCURRENCES) throw tooMany();
  const matching = new Set(search === '' ? [] : view.find('schedules', { search }).rows.map(({ id }) => id));
  const isListed = ({ scheduleId, livestreamId }: Occurring): boolean =>
    view.version('livestreams', livestreamId) > 0 && (search === '' || matching.has(scheduleId));
  // Where the clock was set back over one that history calls missed, it is planned again.
  return replaced(latest(past.map(recordOf).filter(isListed)), occurrences);
}

/** One that took place after it had counted as missed has two records. */
function latest(records: readonly Occurring[]): Occurring[] {
  return [...new Map(records.map((row) => [keyOf(row), row])).values()];
}

/** All of both; of two with one Schedule and start the one of `others`. */
function replaced(some: readonly Occurring[], others: readonly Occurring[]): readonly Occurring[] {
  if (some.length === 0 || others.length === 0) return bounded(some.length === 0 ? others : some);
  const [few, many] = some.length < others.length ? [some, others] : [others, some];
  const byKey = new Map(few.map((row) => [keyOf(row), row]));
  const schedules = new Set(few.map(({ scheduleId }) => scheduleId));
  const isDouble = (row: Occurring): boolean => schedules.has(row.scheduleId) && byKey.has(keyOf(row));
  if (many === some) return bounded([...many.filter((row) => !isDouble(row)), ...byKey.values()]);
  for (const row of many) if (isDouble(row)) byKey.delete(keyOf(row));
  return bounded([...byKey.values(), ...many]);
}

function bounded(occurrences: readonly Occurring[]): readonly Occurring[] {
  if (occurrences.length > MAX_OCCURRENCES) throw tooMany();
  return occurrences;
}

function keyOf({ scheduleId, startMs }: Pick<Occurring, 'scheduleId' | 'startMs'>): string {
  return `${scheduleId} ${startMs}`;
}

function recordOf(firing: Readonly<Firing | PastFiring>): Occurring {
  const { scheduleId, livestreamId, occurrence_start: start, occurrence_end: end, state } = firing;
  return { scheduleId, livestreamId, startMs: Date.parse(start), endMs: Date.parse(end), state };
}

function plannedOf(
  view: View,
  window: OccurrenceWindow,
  now: string,
): { schedules: Rows; planned: readonly Occurring[] } {
  const { fromMs, toMs, scheduleId, livestreamId, search = '' } = window;
  const isAll = scheduleId === undefined && livestreamId === undefined && search === '';
  const query = { where: { id: scheduleId, livestreamId }, ...(search !== '' && { search }) };
  const schedules = view.find('schedules', query).rows;
  // An occurrence that is over by now has a record, or did not happen.
  const afterMs = Math.max(fromMs, Date.parse(now));
  const max = MAX_OCCURRENCES + 1;
  const planned = isAll
    ? plannedWindows.between(schedules, afterMs, toMs, max)
    : plannedBetween(schedules, afterMs, toMs, max);
  return { schedules, planned };
}

/** Both ends of the window as conditions on the occurrences within it. */
function within({
  fromMs,
  toMs,
}: OccurrenceWindow): Record<'occurrence_start' | 'occurrence_end', { gte?: string; lt?: string }> {
  return { occurrence_start: { lt: toIso(toMs) }, occurrence_end: { gte: toIso(fromMs + 1) } };
}

function recorded(view: View, window: OccurrenceWindow): Occurring[] {
  const { scheduleId, livestreamId } = window;
  const { rows } = view.find('firings', {
    where: { scheduleId, livestreamId, ...within(window) },
    limit: MAX_OCCURRENCES + 1,
  });
  const records = rows.map((firing) => {
    // It is on air once viewers see it; its run may still be starting.
    const isStarting = firing.state === 'on_air' && !firing.aired;
    return { ...recordOf(firing), ...(isStarting && { state: 'planned' as const }) };
  });
  return latest(records);
}

interface Known {
  schedules: Rows;
  planned: readonly Occurring[];
  records: readonly Occurring[];
}

/** A skip of an instant that the series no longer has is left out, unless its time has passed. */
function skipped(view: View, window: OccurrenceWindow, known: Known, now: string): Occurring[] {
  const { rows } = view.find('scheduleSkips', {
    where: { scheduleId: window.scheduleId, ...within(window) },
    limit: MAX_OCCURRENCES + 1,
  });
  if (rows.length === 0) return [];
  const ids = new Set(rows.map(({ scheduleId }) => scheduleId));
  const livestreams = new Map(
    known.schedules.filter(({ id }) => ids.has(id)).map(({ id, livestreamId }) => [id, livestreamId]),
  );
  const parts = [...known.planned, ...known.records].filter(({ scheduleId }) => ids.has(scheduleId));
  const keys = new Set(parts.map(keyOf));
  return rows.flatMap(({ scheduleId, occurrence_start, occurrence_end }) => {
    const [startMs, endMs] = [Date.parse(occurrence_start), Date.parse(occurrence_end)];
    const livestreamId = livestreams.get(scheduleId);
    const isPart = occurrence_end <= now || keys.has(keyOf({ scheduleId, startMs }));
    return livestreamId === undefined || !isPart
      ? []
      : [{ scheduleId, livestreamId, startMs, endMs, state: 'skipped' as const }];
  });
}

function tooMany(): Error {
  const message = `holds more than ${MAX_OCCURRENCES} occurrences; move it nearer to from, or name a scheduleId or livestreamId`;
  return ruleViolated(`to: the window ${message}.`, [{ field: 'to', code: 'too_many', message, max: MAX_OCCURRENCES }]);
}
