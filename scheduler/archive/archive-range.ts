/**
 * Decides which rows make the next object. They are taken by their ids, which grow in the order in which rows are committed: a Device that was
 * away brings events with instants of days that are archived already, and they go into the next object as every other row does. Instants
 * only decide where one day ends, so that a clock that is wrong can file a row under another day, and can neither leave it out nor repeat it.
 */
import type { Store } from '../../domain/ports/store.ts';
import type { ArchivedName, ArchiveRange, ArchiveState } from '../../domain/shapes/installation/archive.ts';
import { toIso } from '../../domain/time/clock.ts';

const DAY_MS = 86_400_000;
/** Commits that were under way at midnight, and Devices that were away for minutes, are filed under the day that they belong to. */
const MARGIN_MS = 3_600_000;

export function keyOf(name: ArchivedName, { day, from_id, to_id }: ArchiveRange): string {
  const [year, month] = day.split('-');
  // With its ids no object takes the name of another one, whatever becomes of the clock, and after a restore of an older store.
  return `${name}/${year}/${month}/${name}-${day}-${from_id}-${to_id}.ndjson.gz`;
}

/** undefined while all that was written on days that are over is archived. */
export async function nextRange(
  store: Pick<Store, 'find'>,
  name: ArchivedName,
  done: Pick<ArchiveState, 'through_id' | 'through_day'>,
  nowMs: number,
): Promise<ArchiveRange | undefined> {
  const today = dayOf(nowMs);
  const lastOver = dayOf(nowMs - MARGIN_MS - DAY_MS);
  // A day behind today was archived while the clock was ahead.
  const isAhead = done.through_day !== null && done.through_day >= today;
  if (!isAhead && done.through_day === lastOver) return undefined;
  const from_id = done.through_id + 1;
  const [newest] = (await store.find(name, { sort: { field: 'id', descending: true }, limit: 1 })).rows;
  const [first] = (await store.find(name, { where: { id: { gte: from_id } }, limit: 1 })).rows;
  if (newest === undefined || first === undefined) return undefined;
  const firstDay = dayOf(Date.parse(first.at));
  const day = later(firstDay > today ? lastOver : firstDay, isAhead ? lastOver : dayBehind(done.through_day));
  if (day > lastOver) return undefined;
  const at = { gte: toIso(Date.parse(day) + DAY_MS), lt: toIso(nowMs + 1) };
  const id = { gte: first.id + 1, lt: newest.id + 1 };
  const [behind] = (await store.find(name, { where: { id, at }, limit: 1 })).rows;
  return { day, from_id, to_id: behind === undefined ? newest.id : behind.id - 1 };
}

function dayOf(ms: number): string {
  return toIso(ms).slice(0, 10);
}

function dayBehind(day: string | null): string {
  return day === null ? '' : dayOf(Date.parse(day) + DAY_MS);
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}
