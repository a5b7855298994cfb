/** Rules that a Schedule must keep to be stored. */
import { toIso } from '../../time/clock.ts';
import { AppError, invalidInput, ruleViolated, type FieldIssue } from '../../base/errors.ts';
import { nextOccurrence, RECURRENCE_TYPES, minPeriodDays } from '../../time/recurrence.ts';
import { firstOverlap, type Planned } from '../../shapes/schedules/schedule-overlap.ts';
import { seriesOf, type Schedule } from '../../shapes/schedules/schedule.ts';
import type { View } from '../../ports/store.ts';
import { wallAt } from '../../time/zone.ts';
import { assertRules, referenceIssues } from '../rows/references.ts';
import { firingOf } from './schedule-firings.ts';
import { called, calledIn } from '../../base/sentence.ts';

type Draft = Omit<Schedule, 'id'> & { id?: number };

const DAY_MS = 86_400_000;
/** A call that was prepared some minutes ago is still meant; a date of last week is a slip. */
export const MAX_PAST_MS = 600_000;

/** Throws AppError invalid_input. */
export function assertStartAhead({ start }: Draft, now: string): void {
  const earliest = toIso(Date.parse(now) - MAX_PAST_MS);
  if (start >= earliest) return;
  const message = `${start} is more than 10 minutes past; it is ${now} now`;
  throw invalidInput([{ field: 'start', code: 'past', message, min: earliest }]);
}

/**
 * A single occurrence does not happen again because its end is moved, or because it is enabled. Throws AppError rule_violated for a change
 * that would never have an effect.
 */
export function assertNotOver(view: View, row: Schedule, now: string, present: Readonly<Schedule>): void {
  const { id, start, end, enabled, recurrence } = row;
  const isRevived = end !== present.end || recurrence.type !== present.recurrence.type || (enabled && !present.enabled);
  if (recurrence.type !== 'none' || start !== present.start || !isRevived) return;
  const firing = firingOf(view, id, start);
  // An occurrence that a wrong clock has missed is still to come.
  const isOver = firing === undefined || firing.state === 'missed' ? present.end <= now : !firing.open;
  if (!isOver) return;
  const state = firing === undefined ? '' : ` (${firing.state})`;
  const message = `what was to begin at ${start} is over${state}; send a start that is to come with it, or make a new Schedule with addSchedule`;
  throw ruleViolated(`start: ${message}.`, [{ field: 'start', code: 'past', message }]);
}

/** Throws AppError rule_violated with every finding. */
export function assertFits(view: View, row: Draft, now: string, present?: Readonly<Schedule>): void {
  assertRules([
    ...referenceIssues(view, 'livestreams', 'Live stream', 'livestreamId', row.livestreamId),
    ...referenceIssues(view, 'deviceGroups', 'Device group', 'idEncoderGroup', row.idEncoderGroup),
    ...onceIssues(row),
    ...timeIssues(row, now, present),
  ]);
}

/** A single occurrence has neither an interval nor an end of its series. */
function onceIssues({ recurrence: { type, interval, until } }: Draft): FieldIssue[] {
  if (type !== 'none') return [];
  const issue = (field: string): FieldIssue => ({
    field: `recurrence.${field}`,
    code: 'not_allowed',
    message: `does not belong to recurrence type none, which happens once; leave it out, or name the type (${RECURRENCE_TYPES.slice(1).join(', ')})`,
  });
  return [...(interval === 1 ? [] : [issue('interval')]), ...(until === null ? [] : [issue('until')])];
}

function timeIssues(row: Draft, now: string, present: Readonly<Schedule> | undefined): FieldIssue[] {
  const { start, end, recurrence, timezone } = row;
  if (end <= start) return [{ field: 'end', code: 'order', message: `must be later than start, which is ${start}` }];
  const days = minPeriodDays(recurrence.type, recurrence.interval);
  // The length is by the clock on the wall: a day of 25 hours is a day.
  const lengthMs = wallAt(Date.parse(end), timezone) - wallAt(Date.parse(start), timezone);
  if (lengthMs > days * DAY_MS) {
    const period = days === 1 ? 'a day' : `${days} days`;
    const message = `leaves each occurrence longer than ${period}, after which the next one begins (${recurrence.type})`;
    return [{ field: 'end', code: 'too_long', message, max: toIso(Date.parse(start) + days * DAY_MS) }];
  }
  if (recurrence.type !== 'none' && recurrence.until !== null && recurrence.until <= start) {
    const message = `${recurrence.until} is not after the first start, ${start}: nothing would ever be on air`;
    return [{ field: 'recurrence.until', code: 'order', message }];
  }
  const isMoved = present === undefined || present.start !== start || present.end !== end;
  if (isMoved && recurrence.type === 'none' && end <= now)
    return [{ field: 'end', code: 'past', message: `${end} is past; it is ${now} now` }];
  return isPlacedAnew(row, now, present) ? dayIssues(row) : [];
}

/** A series that has begun keeps its start when its rule changes: the next day that the rule names is what counts. */
function isPlacedAnew(row: Draft, now: string, present: Readonly<Schedule> | undefined): boolean {
  if (present === undefined || present.start !== row.start) return true;
  const isOther = present.recurrence.type !== row.recurrence.type || present.timezone !== row.timezone;
  return isOther && row.start > now;
}

/** start and end are those of the first occurrence; a day that the rule does not name has none. */
function dayIssues(row: Draft): FieldIssue[] {
  const { start, recurrence, timezone } = row;
  const series = { ...seriesOf(row), untilMs: null };
  const first = nextOccurrence(series, Date.parse(start));
  if (first === undefined || toIso(first.startMs) === start) return [];
  const names = { workdays: 'Monday to Friday', weekend: 'Saturday and Sunday' } as Record<string, string>;
  const message =
    `${start} is no day of recurrence type ${recurrence.type} (${names[recurrence.type] ?? recurrence.type}) in ${timezone}; ` +
    `the first one is ${toIso(first.startMs)}`;
  return [{ field: 'start', code: 'not_in_rule', message, first: toIso(first.startMs) }];
}

/** The series of a Schedule without occurrences that are skipped or over. */
export function plannedOf(view: View, row: Draft, now: string): Planned {
  const without = new Set<number>();
  if (row.id !== undefined) {
    const { id: scheduleId } = row;
    for (const skip of view.find('scheduleSkips', { where: { scheduleId } }).rows)
      without.add(Date.parse(skip.occurrence_start));
    const over = { scheduleId, open: false, occurrence_end: { gte: now } };
    for (const firing of view.find('firings', { where: over }).rows) without.add(Date.parse(firing.occurrence_start));
  }
  return { series: seriesOf(row), without };
}

/** Throws AppError conflict, because a Live stream is on air once at a time. */
export function assertNoOverlap(view: View, row: Draft, now: string): void {
  const overlap = overlapOf(view, row, now);
  if (overlap === undefined) return;
  const { other, own, others } = overlap;
  const detail =
    `${called('Schedule', other)} has ${calledIn(view, 'Live stream', row.livestreamId)} on air from ${others.start} to ${others.end}, ` +
    `which overlaps ${own.start} to ${own.end}. Choose another time, or skip, end or pause that one first.`;
  throw new AppError('conflict', detail, {
    facts: { field: 'start', id: other.id, name: other.name, occurrence: own, other_occurrence: others },
  });
}

interface Window {
  start: string;
  end: string;
}

interface Overlap {
  other: Readonly<Schedule>;
  own: Window;
  others: Window;
}

/** The first other enabled Schedule that needs the Live stream at the same time. */
function overlapOf(view: View, row: Draft, now: string): Overlap | undefined {
  if (!row.enabled) return undefined;
  const mine = plannedOf(view, row, now);
  const { rows } = view.find('schedules', { where: { livestreamId: row.livestreamId, enabled: true } });
  for (const other of rows) {
    // A single occurrence that is over blocks nobody, and most Schedules of a long list are such.
    if (other.id === row.id || (other.recurrence.type === 'none' && other.end <= now)) continue;
    const overlap = firstOverlap(mine, plannedOf(view, other, now), Date.parse(now));
    if (overlap === undefined) continue;
    const [own, others] = overlap.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) }));
    return { other, own: own!, others: others! };
  }
  return undefined;
}
