/** The places of items on a time line: a pure function of their times. Items of a row that overlap get layers below each other. */

export interface Span {
  id: string;
  /** Milliseconds since 1970; the end is not part of it. */
  start: number;
  end: number;
}

export interface Layers {
  /** The layer of each item, from 0. */
  at: ReadonlyMap<string, number>;
  count: number;
}

/** No two items overlap within a layer, and there are no more layers than items at once. */
export function layersOf(items: readonly Span[]): Layers {
  const ends: number[] = [];
  const at = new Map<string, number>();
  for (const item of [...items].sort((one, other) => one.start - other.start || one.end - other.end)) {
    const free = ends.findIndex((end) => end <= item.start);
    const layer = free === -1 ? ends.length : free;
    // An empty span takes its place nevertheless.
    ends[layer] = Math.max(item.end, item.start + 1);
    at.set(item.id, layer);
  }
  return { at, count: Math.max(1, ends.length) };
}

/** Shares of the window's width, cut at its edges. */
export function shareOf({ start, end }: Omit<Span, 'id'>, from: number, to: number): { left: number; width: number } {
  const share = (instant: number): number => Math.min(1, Math.max(0, (instant - from) / (to - from)));
  return { left: share(start), width: share(end) - share(start) };
}

/** The rows that a view of `height` shows at `top`, with one beyond either edge. `tops` has a last entry for the end of all. */
export function rowsInView(tops: readonly number[], top: number, height: number): { first: number; last: number } {
  const count = tops.length - 1;
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tops[middle + 1]! > top) high = middle;
    else low = middle + 1;
  }
  let last = low;
  while (last < count && tops[last]! < top + height) last += 1;
  return { first: Math.max(0, low - 1), last: Math.min(count, last + 1) };
}

export function overlaps(span: Omit<Span, 'id'>, items: readonly Span[], exceptId?: string): Span | undefined {
  return items.find(({ id, start, end }) => id !== exceptId && start < span.end && span.start < end);
}

/** The most items at once in each of `count` equal parts of the window. */
export function loadOf(items: readonly Omit<Span, 'id'>[], from: number, to: number, count: number): number[] {
  const step = (to - from) / count;
  return Array.from({ length: count }, (_, place) => {
    const [begin, end] = [from + place * step, from + (place + 1) * step];
    const inside = items.filter((item) => item.start < end && begin < item.end);
    const points = [begin, ...inside.map(({ start }) => start).filter((start) => start > begin)];
    return Math.max(
      0,
      ...points.map((point) => inside.filter((item) => item.start <= point && point < item.end).length),
    );
  });
}

const MINUTE_MS = 60_000;

/** The nearest instant of a grid of minutes. Every zone's offset is a multiple of 15 minutes. */
export function snapped(instant: number, minutes: number): number {
  return Math.round(instant / (minutes * MINUTE_MS)) * minutes * MINUTE_MS;
}
