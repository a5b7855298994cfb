/** Arrows in a time line. */

const STOPS = '[data-bar], [data-mark]';

/** Goes to the next bar or mark in the row, or to the nearest one of the next row. */
export function walk(event: KeyboardEvent, box: HTMLElement | null): boolean {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
  const bar = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(STOPS) : null;
  if (by === undefined || bar === null || box === null) return false;
  const bars = [...box.querySelectorAll<HTMLElement>(STOPS)];
  const left = (element: HTMLElement): number => element.getBoundingClientRect().left;
  if (/Left|Right/u.test(event.key)) {
    const row = bars.filter((each) => each.parentElement === bar.parentElement).sort((a, b) => left(a) - left(b));
    row[row.indexOf(bar) + by]?.focus();
    return true;
  }
  const tracks = [...new Set(bars.map(({ parentElement }) => parentElement))];
  const next = tracks[tracks.indexOf(bar.parentElement) + by];
  const near = bars.filter(({ parentElement }) => parentElement === next);
  near.sort((a, b) => Math.abs(left(a) - left(bar)) - Math.abs(left(b) - left(bar)))[0]?.focus();
  return true;
}
