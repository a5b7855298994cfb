/** Dragging on a row: makes a span, moves one or resizes it. Only the ghost is written while the pointer moves. */
import { overlaps, shareOf, snapped, type Span } from './layout.ts';

export interface Dragged {
  kind: 'make' | 'move' | 'resize';
  rowId: number;
  /** Absent for a new one. */
  itemId: string | undefined;
  start: number;
  end: number;
}

interface DragOptions {
  track: HTMLElement;
  ghost: HTMLElement;
  items: readonly Span[];
  item: Span | undefined;
  rowId: number;
  from: number;
  to: number;
  textOf: (start: number, end: number, other: Span | undefined) => string;
  onEnd: (dragged: Dragged) => void;
}

const EDGE_PX = 7;
/** A pointer that moves less has pressed. */
const STILL_PX = 4;
const GRID_MIN = 15;
const MIN_MS = 60_000;

export function beginDrag(event: PointerEvent, options: DragOptions): void {
  if (event.button !== 0 || event.pointerType === 'touch') return;
  const { track, ghost, items, item, rowId, from, to, textOf, onEnd } = options;
  const box = track.getBoundingClientRect();
  const instantAt = (x: number): number => from + ((x - box.left) / box.width) * (to - from);
  const beginX = event.clientX;
  const edge = item === undefined ? undefined : edgeAt(event);
  const kind = item === undefined ? 'make' : edge === undefined ? 'move' : 'resize';
  let span: { start: number; end: number } | undefined;
  const move = (moved: PointerEvent): void => {
    if (span === undefined && Math.abs(moved.clientX - beginX) < STILL_PX) return;
    const grid = moved.altKey ? 1 : GRID_MIN;
    span = spanFor(snappedSpan(instantAt(beginX), instantAt(moved.clientX), { item, edge, grid }), grid);
    const { left, width } = shareOf(span, from, to);
    const other = overlaps(span, items, item?.id);
    ghost.hidden = false;
    ghost.style.setProperty('left', `${left * 100}%`);
    ghost.style.setProperty('width', `${width * 100}%`);
    ghost.toggleAttribute('data-conflict', other !== undefined);
    ghost.textContent = textOf(span.start, span.end, other);
  };
  const end = (how: 'done' | 'back'): void => {
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', drop);
    removeEventListener('keydown', back, true);
    ghost.hidden = true;
    if (how === 'done' && span !== undefined)
      onEnd({ kind, rowId, itemId: item?.id, start: span.start, end: span.end });
  };
  const drop = (): void => {
    if (span !== undefined) addEventListener('click', swallow, { capture: true, once: true });
    // A release away from the button brings no click.
    setTimeout(() => removeEventListener('click', swallow, true), 0);
    end('done');
  };
  const back = (pressed: KeyboardEvent): void => {
    if (pressed.key === 'Escape') end('back');
  };
  addEventListener('pointermove', move);
  addEventListener('pointerup', drop);
  addEventListener('keydown', back, true);
}

function swallow(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}

function edgeAt(event: PointerEvent): 'start' | 'end' | undefined {
  if (!(event.target instanceof Element)) return undefined;
  const box = event.target.closest('button')?.getBoundingClientRect();
  if (box === undefined || box.width < 4 * EDGE_PX) return undefined;
  if (event.clientX - box.left < EDGE_PX) return 'start';
  return box.right - event.clientX < EDGE_PX ? 'end' : undefined;
}

interface Grip {
  item: Span | undefined;
  edge: 'start' | 'end' | undefined;
  grid: number;
}

function snappedSpan(begin: number, now: number, { item, edge, grid }: Grip): { start: number; end: number } {
  if (item === undefined) {
    const ends = [snapped(begin, grid), snapped(now, grid)];
    return { start: Math.min(...ends), end: Math.max(...ends) };
  }
  if (edge === 'start') return { start: Math.min(snapped(now, grid), item.end - grid * MIN_MS), end: item.end };
  if (edge === 'end') return { start: item.start, end: Math.max(snapped(now, grid), item.start + grid * MIN_MS) };
  const start = snapped(item.start + now - begin, grid);
  return { start, end: start + item.end - item.start };
}

function spanFor({ start, end }: { start: number; end: number }, grid: number): { start: number; end: number } {
  return { start, end: Math.max(end, start + grid * MIN_MS) };
}
