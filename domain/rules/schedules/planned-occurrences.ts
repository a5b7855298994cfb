/**
 * The planned occurrences of Schedules. Many ask for the same windows, pages and screens above all, so what was found for all Schedules is
 * kept; what has changed since is found by the rows, which the store replaces and never changes.
 */
import { eachSteady, occurrencesIn, prepared, type PreparedSeries } from '../../time/recurrence.ts';
import { seriesOf, type OccurrenceState, type Schedule } from '../../shapes/schedules/schedule.ts';
import { steadyOffset } from '../../time/zone.ts';

/** An occurrence before it is answered: texts are made of those of a page alone. Those of kept days are shared. */
export interface Occurring {
  readonly scheduleId: number;
  readonly livestreamId: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly state: OccurrenceState;
}

type Rows = readonly Readonly<Schedule>[];
type Keep = (startMs: number, endMs: number) => void;

const DAY_MS = 86_400_000;
/** Occurrences up to this length are found by the offset of their zone, if that has been the same for so long before. */
const MAX_STEADY_MS = 10 * DAY_MS;
/** Each has some megabytes at most. */
const MAX_WINDOWS = 8;
/** A window that begins now moves on: so long it is part of the one that is kept. */
const AHEAD_MS = 3_600_000;
/** With more changes at once, occurrences are found anew sooner than windows are mended. */
const MAX_CHANGES = 500;

export function byStart(a: Occurring, b: Occurring): number {
  return a.startMs - b.startMs || a.scheduleId - b.scheduleId;
}

/** Those of enabled Schedules that end after `afterMs` and begin before `toMs`, in no order; it ends once there are `max`. */
export function plannedBetween(rows: Rows, afterMs: number, toMs: number, max = Infinity): Occurring[] {
  const found: Occurring[] = [];
  const offsetIn = steadyOffsets(afterMs - MAX_STEADY_MS - 2 * DAY_MS, toMs + DAY_MS);
  for (const row of rows) {
    if (!row.enabled || found.length >= max) continue;
    const { id: scheduleId, livestreamId } = row;
    each(row, offsetIn, afterMs, toMs, (startMs, endMs) => {
      found.push({ scheduleId, livestreamId, startMs, endMs, state: 'planned' });
    });
  }
  return found;
}

/** Goes by the offset of the zone where that is the same all the time, else by its calendar. */
function each(row: Readonly<Schedule>, offsetIn: OffsetIn, fromMs: number, toMs: number, keep: Keep): void {
  const { series, effectiveMs } = preparedOf(row);
  const afterMs = Math.max(fromMs, effectiveMs);
  const offset = series.lengthMs > MAX_STEADY_MS ? undefined : offsetIn(row.timezone);
  if (offset !== undefined) return eachSteady(series, offset, afterMs, toMs, keep);
  const maxLengthMs = series.endMs - series.startMs + DAY_MS;
  for (const { startMs, endMs } of occurrencesIn(series, afterMs - maxLengthMs, toMs))
    if (endMs > afterMs) keep(startMs, endMs);
}

type OffsetIn = (zone: string) => number | undefined;

/** The offset of a zone all the time between both; undefined where it changes. */
function steadyOffsets(fromMs: number, toMs: number): OffsetIn {
  const known = new Map<string, number | null>();
  return (zone) => {
    let offset = known.get(zone);
    if (offset === undefined) known.set(zone, (offset = steadyOffset(fromMs, toMs, zone) ?? null));
    return offset ?? undefined;
  };
}

interface Prepared {
  series: PreparedSeries;
  effectiveMs: number;
}

const preparedRows = new WeakMap<Readonly<Schedule>, Prepared>();

function preparedOf(row: Readonly<Schedule>): Prepared {
  let known = preparedRows.get(row);
  if (known === undefined) {
    known = { series: prepared(seriesOf(row)), effectiveMs: Date.parse(row.effective_from) };
    preparedRows.set(row, known);
  }
  return known;
}

interface Kept {
  afterMs: number;
  toMs: number;
  /** They are in the order of start. */
  occurrences: readonly Occurring[];
}

/** The occurrences of all Schedules of a store in the windows that were asked for last. */
export class PlannedWindows {
  private rows: Rows = [];
  /** The one that was used last is the last one. */
  private windows: readonly Kept[] = [];

  /** As plannedBetween, by start; `rows` are all Schedules that there are, by id. */
  between(rows: Rows, afterMs: number, toMs: number, max: number): readonly Occurring[] {
    this.update(rows);
    const known = this.windows.find((window) => window.afterMs <= afterMs && window.toMs >= toMs);
    const window = known ?? { afterMs, toMs: toMs + AHEAD_MS, occurrences: this.found(afterMs, toMs + AHEAD_MS, max) };
    // What is cut off at `max` is no answer to another question.
    if (window.occurrences.length >= max) return this.found(afterMs, toMs, max);
    this.windows = [...this.windows.filter((each) => each !== window).slice(1 - MAX_WINDOWS), window];
    return window.occurrences.filter(({ startMs, endMs }) => endMs > afterMs && startMs < toMs);
  }

  private found(afterMs: number, toMs: number, max: number): Occurring[] {
    return plannedBetween(this.rows, afterMs, toMs, max).sort(byStart);
  }

  private update(rows: Rows): void {
    const { ids, fresh } = changesBetween(this.rows, rows);
    this.rows = rows;
    if (ids.size === 0) return;
    if (ids.size > MAX_CHANGES) this.windows = [];
    this.windows = this.windows.map(({ afterMs, toMs, occurrences }) => {
      const others = occurrences.filter(({ scheduleId }) => !ids.has(scheduleId));
      return { afterMs, toMs, occurrences: [...others, ...plannedBetween(fresh, afterMs, toMs)].sort(byStart) };
    });
  }
}

/** Ids of rows that are not the same in both, and those of the later ones. Both are in the order of ids. */
function changesBetween(before: Rows, after: Rows): { ids: ReadonlySet<number>; fresh: Rows } {
  const ids = new Set<number>();
  const fresh: Readonly<Schedule>[] = [];
  let at = 0;
  for (const row of after) {
    while (at < before.length && before[at]!.id < row.id) ids.add(before[at++]!.id);
    if (before[at] === row) at += 1;
    else {
      ids.add(row.id);
      fresh.push(row);
    }
  }
  for (; at < before.length; at += 1) ids.add(before[at]!.id);
  return { ids, fresh };
}
