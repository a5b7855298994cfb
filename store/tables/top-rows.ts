/**
 * The first `count` of `items` in order, by a buffer of twice that size which is sorted and cut when it is full: most items cost one
 * comparison, where sorting 50k matches for a page of 50 would block the event loop for tens of milliseconds. It may leave `items` in
 * another order.
 */
export function firstInOrder<T>(items: T[], count: number, compare: (a: T, b: T) => number): T[] {
  if (count === 0) return [];
  if (count * 2 >= items.length) return items.sort(compare).slice(0, count);
  let best: T[] = [];
  let worst: T | undefined;
  for (const item of items) {
    if (worst !== undefined && compare(item, worst) >= 0) continue;
    best.push(item);
    if (best.length === count * 2) {
      best = best.sort(compare).slice(0, count);
      worst = best[count - 1];
    }
  }
  return best.sort(compare).slice(0, count);
}
