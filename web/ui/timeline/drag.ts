/** Dragging on a row of a time line: a bar is moved or its edge is, and the empty part makes a new one. It never saves anything. */
import { onGrid, type Span } from './layers.ts';

const MINUTE_MS = 60_000;
export const GRID_MS = 15 * MINUTE_MS;
export type Part = 'whole' | 'start' | 'end' | 'new';

/** Where the bar stands when the pointer has gone from one instant to another; it is never shorter than a step. */
export function dragged(part: Part, span: Span, fromMs: number, toMs: number, isFine: boolean): Span {
  const step = isFine ? MINUTE_MS : GRID_MS;
  if (part === 'new') {
    const [one, other] = [onGrid(fromMs, step), onGrid(toMs, step)];
    return { startMs: Math.min(one, other), endMs: Math.max(one, other, Math.min(one, other) + step) };
  }
  const by = toMs - fromMs;
  if (part === 'start') return { ...span, startMs: Math.min(onGrid(span.startMs + by, step), span.endMs - step) };
  if (part === 'end') return { ...span, endMs: Math.max(onGrid(span.endMs + by, step), span.startMs + step) };
  const startMs = onGrid(span.startMs + by, step);
  return { startMs, endMs: startMs + span.endMs - span.startMs };
}

const EDGE_PX = 8;

/** What the pointer has hold of. */
export function partAt(x: number, box: { left: number; right: number }): Part {
  // A narrow bar is moved: its edges would leave nothing to hold.
  if (box.right - box.left < 3 * EDGE_PX) return 'whole';
  if (x - box.left < EDGE_PX) return 'start';
  return box.right - x < EDGE_PX ? 'end' : 'whole';
}
