/** Occurrences over a window: recorded ones as their firings say, here or in history, and coming ones as they are planned. */
import { toIso } from '../clock.ts';
import { invalidInput, ruleViolated } from '../errors.ts';
import { LAST_INSTANT_MS, occurrencesIn } from '../recurrence.ts';
import { seriesOf, type Firing, type OccurrenceView, type PastFiring, type Schedule } from '../schedule.ts';
import type { Query, View } from '../store.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const MAX_MS = 366 * DAY_MS;
/** The occurrences of 50 daily Schedules in a year; nobody reads a larger window. */
const MAX_OCCURRENCES = 20_000;

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

/** One page in the requested order; ties by start, then by Schedule. */
export function pageOfOccurrences(
  occurrences: readonly OccurrenceView[],
  sort: { field: string; descending: boolean } | undefined,
  { page, pageSize }: { page: number; pageSize: number },
): OccurrenceView[] {
  const field = (sort?.field === 'id' ? 'scheduleId' : (sort?.field ?? 'start')) as keyof OccurrenceView;
  const sign = sort?.descending === true ? -1 : 1;
  const order = (a: OccurrenceView, b: OccurrenceView): number =>
    a[field] === b[field] ? 0 : a[field] < b[field] ? -sign : sign;
  return [...occurrences].sort(order).slice((page - 1) * pageSize, page * pageSize);
}

/**
 * Occurrences that are on at some time within [from, to), by start. One that did not happen because its Schedule was paused is not among
 * them. Throws AppError rule_violated when there are too many.
 */
export function occurrencesOf(view: View, window: OccurrenceWindow, now: string): OccurrenceView[] {
  const byKey = new Map<string, OccurrenceView>();
  const keep = (row: OccurrenceView): void => {
    byKey.set(`${row.scheduleId} ${row.start}`, row);
    if (byKey.size > MAX_OCCURRENCES) throw tooMany();
  };
  const { scheduleId, livestreamId, search = '' } = window;
  const nameSearch = search === '' ? {} : { search };
  const schedules = view.find('schedules', { where: { id: scheduleId, livestreamId }, ...nameSearch }).rows;
  for (const schedule of schedules) if (schedule.enabled) plan(schedule, window, now, keep);
  const ids = new Set(schedules.map(({ id }) => id));
  // An occurrence of a deleted Schedule has no name to search.
  for (const row of recorded(view, window)) if (search === '' || ids.has(row.scheduleId)) keep(row);
  for (const row of skipped(view, window, schedules, now, byKey)) keep(row);
  return byStart(byKey);
}

/** Query of `pastFirings` for withPast. It runs after occurrencesOf, because firings move from there to history. */
export function pastQuery(window: OccurrenceWindow): Query {
  const { scheduleId, livestreamId } = window;
  return { where: { scheduleId, livestreamId, ...within(window) }, limit: MAX_OCCURRENCES + 1 };
}

/** Adds to occurrencesOf those whose record is in history. */
export function withPast(
  view: View,
  occurrences: readonly OccurrenceView[],
  past: readonly Readonly<PastFiring>[],
  { search = '' }: OccurrenceWindow,
): OccurrenceView[] {
  // Not all of them were read, so it does not matter any more which ones are listed.
  if (past.length > MAX_OCCURRENCES) throw tooMany();
  const keyOf = ({ scheduleId, start }: OccurrenceView): string => `${scheduleId} ${start}`;
  const byKey = new Map(past.map((firing) => [`${firing.scheduleId} ${firing.occurrence_start}`, recordOf(firing)]));
  const matching = new Set(search === '' ? [] : view.find('schedules', { search }).rows.map(({ id }) => id));
  for (const [key, { scheduleId, livestreamId }] of byKey) {
    const isListed = view.version('livestreams', livestreamId) > 0 && (search === '' || matching.has(scheduleId));
    if (!isListed) byKey.delete(key);
  }
  // Where the clock was set back over one that history calls missed, it is planned again.
  for (const row of occurrences) byKey.set(keyOf(row), row);
  if (byKey.size > MAX_OCCURRENCES) throw tooMany();
  return byStart(byKey);
}

function byStart(byKey: ReadonlyMap<string, OccurrenceView>): OccurrenceView[] {
  return [...byKey.values()].sort((a, b) =>
    a.start === b.start ? a.scheduleId - b.scheduleId : a.start < b.start ? -1 : 1,
  );
}

function recordOf(firing: Readonly<Firing | PastFiring>): OccurrenceView {
  const { scheduleId, livestreamId, occurrence_start: start, occurrence_end: end, state } = firing;
  return { scheduleId, livestreamId, start, end, state };
}

function plan(
  schedule: Readonly<Schedule>,
  window: OccurrenceWindow,
  now: string,
  keep: (row: OccurrenceView) => void,
): void {
  const series = seriesOf(schedule);
  const { fromMs, toMs } = window;
  // An occurrence that is over by now has a record, or did not happen.
  const endsAfterMs = Math.max(fromMs, Date.parse(now), Date.parse(schedule.effective_from));
  const maxLengthMs = series.endMs - series.startMs + DAY_MS;
  for (const { startMs, endMs } of occurrencesIn(series, endsAfterMs - maxLengthMs, toMs)) {
    if (endMs <= endsAfterMs) continue;
    const { id: scheduleId, livestreamId } = schedule;
    keep({ scheduleId, livestreamId, start: toIso(startMs), end: toIso(endMs), state: 'planned' });
  }
}

/** Both ends of the window as conditions on the occurrences within it. */
function within({
  fromMs,
  toMs,
}: OccurrenceWindow): Record<'occurrence_start' | 'occurrence_end', { gte?: string; lt?: string }> {
  return { occurrence_start: { lt: toIso(toMs) }, occurrence_end: { gte: toIso(fromMs + 1) } };
}

function recorded(view: View, window: OccurrenceWindow): OccurrenceView[] {
  const { scheduleId, livestreamId } = window;
  const { rows } = view.find('firings', {
    where: { scheduleId, livestreamId, ...within(window) },
    limit: MAX_OCCURRENCES + 1,
  });
  return rows.map((firing) => {
    // It is on air once viewers see it; its run may still be starting.
    const isStarting = firing.state === 'on_air' && !firing.aired;
    return { ...recordOf(firing), ...(isStarting && { state: 'planned' as const }) };
  });
}

/** A skip of an instant that the series no longer has is left out, unless its time has passed. */
function skipped(
  view: View,
  window: OccurrenceWindow,
  schedules: readonly Readonly<Schedule>[],
  now: string,
  byKey: ReadonlyMap<string, OccurrenceView>,
): OccurrenceView[] {
  const livestreams = new Map(schedules.map(({ id, livestreamId }) => [id, livestreamId]));
  const { rows } = view.find('scheduleSkips', {
    where: { scheduleId: window.scheduleId, ...within(window) },
    limit: MAX_OCCURRENCES + 1,
  });
  return rows.flatMap(({ scheduleId, occurrence_start: start, occurrence_end: end }) => {
    const livestreamId = livestreams.get(scheduleId);
    const isPart = end <= now || byKey.has(`${scheduleId} ${start}`);
    return livestreamId === undefined || !isPart
      ? []
      : [{ scheduleId, livestreamId, start, end, state: 'skipped' as const }];
  });
}

function tooMany(): Error {
  const message = `holds more than ${MAX_OCCURRENCES} occurrences; move it nearer to from, or name a scheduleId or livestreamId`;
  return ruleViolated(`to: the window ${message}.`, [{ field: 'to', code: 'too_many', message, max: MAX_OCCURRENCES }]);
}
