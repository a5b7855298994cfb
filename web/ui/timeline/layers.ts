/** The layout of a time line: each bar has a layer, and no two in a layer overlap. */

export interface Span {
  startMs: number;
  endMs: number;
}

export interface Placed<T> {
  item: T;
  layer: number;
  /** The part of its layer that it has for itself. */
  room: Span;
}

/** As few layers as there are rooms at once, by start. An item is its own room, unless it needs more. */
export function inLayers<T extends Span>(
  items: readonly T[],
  roomOf: (item: T) => Span = (item) => item,
): { placed: Placed<T>[]; layers: number } {
  const free: number[] = [];
  const placed = items
    .map((item) => ({ item, room: roomOf(item) }))
    .sort(
      (one, other) =>
        one.room.startMs - other.room.startMs ||
        one.item.startMs - other.item.startMs ||
        one.room.endMs - other.room.endMs,
    )
    .map(({ item, room }) => {
      const found = free.findIndex((end) => end <= room.startMs);
      const layer = found === -1 ? free.length : found;
      free[layer] = room.endMs;
      return { item, layer, room };
    });
  return { placed, layers: Math.max(1, free.length) };
}

/** At least so long, within the row: what begins late has its room before it. */
export function roomIn(row: Span, { startMs, endMs }: Span, leastMs: number): Span {
  const start = Math.max(row.startMs, startMs);
  const end = Math.max(Math.min(row.endMs, endMs), start + leastMs);
  if (end <= row.endMs) return { startMs: start, endMs: end };
  return { startMs: Math.max(row.startMs, start - leastMs), endMs: row.endMs };
}

/** The others that want the same time. */
export function overlapping<T extends Span>(span: Span, others: readonly T[]): T[] {
  return others.filter(({ startMs, endMs }) => startMs < span.endMs && endMs > span.startMs);
}

/** Rows that are in view, and some on either side. */
export function rowsInView(
  heights: readonly number[],
  top: number,
  height: number,
): { first: number; last: number; before: number; after: number } {
  const EXTRA = 200;
  let at = 0;
  let [first, last, before, after] = [heights.length, -1, 0, 0];
  heights.forEach((own, index) => {
    const isIn = at + own >= top - EXTRA && at <= top + height + EXTRA;
    if (isIn) {
      first = Math.min(first, index);
      last = index;
    } else if (last === -1) before += own;
    else after += own;
    at += own;
  });
  return { first, last, before, after };
}

/** How many are on at once, where that changes. */
export function countsOver(spans: readonly Span[]): { atMs: number; count: number }[] {
  const changes = spans.flatMap(({ startMs, endMs }) => [
    { atMs: startMs, by: 1 },
    { atMs: endMs, by: -1 },
  ]);
  changes.sort((one, other) => one.atMs - other.atMs || one.by - other.by);
  const counts: { atMs: number; count: number }[] = [];
  let count = 0;
  for (const { atMs, by } of changes) {
    count += by;
    if (counts.at(-1)?.atMs === atMs) counts.pop();
    if (counts.at(-1)?.count !== count) counts.push({ atMs, count });
  }
  return counts;
}

/** The nearest line of the grid. */
export function onGrid(instant: number, stepMs: number): number {
  return Math.round(instant / stepMs) * stepMs;
}
