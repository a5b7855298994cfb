/** The marks of a cut, as the fields have them. */
import { parseTimeCode, timeCode } from './time-code.ts';

/** Seconds of the Recording. */
export interface Span {
  in: number;
  out: number;
}

export interface Marks {
  in: string;
  out: string;
}

export type Flaw = { field: 'in' | 'out'; kind: 'unreadable' | 'order' | 'beyond' };

/** A mark in behind the mark out begins a new piece. */
export function markedIn({ out }: Marks, seconds: number): Marks {
  const end = parseTimeCode(out);
  return { in: timeCode(seconds), out: end !== undefined && end <= seconds ? '' : out };
}

/** A mark out before the mark in ends a new piece. */
export function markedOut({ in: begin }: Marks, seconds: number): Marks {
  const start = parseTimeCode(begin);
  return { in: start !== undefined && start >= seconds ? '' : begin, out: timeCode(seconds) };
}

/** Answers the first field that is not right yet. `length` is that of the Recording; undefined while it is not known. */
export function flawIn({ in: begin, out }: Marks, length: number | undefined): Flaw | undefined {
  const [from, to] = [parseTimeCode(begin), parseTimeCode(out)];
  if (from === undefined) return { field: 'in', kind: 'unreadable' };
  if (to === undefined) return { field: 'out', kind: 'unreadable' };
  if (length !== undefined && from >= length) return { field: 'in', kind: 'beyond' };
  if (to <= from) return { field: 'out', kind: 'order' };
  return undefined;
}

/** The seconds between the marks; undefined while there are none, or they stand the wrong way round. */
export function spanOf({ in: begin, out }: Marks): Span | undefined {
  const [from, to] = [parseTimeCode(begin), parseTimeCode(out)];
  return from === undefined || to === undefined || to <= from ? undefined : { in: from, out: to };
}

export function spansText(spans: readonly Span[]): string {
  return spans.map((span) => `${timeCode(span.in)} – ${timeCode(span.out)}`).join(', ');
}

/** The part of an order that says what is cut: a single piece is written as such. */
export function orderedSpans(spans: readonly Span[]): Span | { segments: Span[] } {
  const [only] = spans;
  return only !== undefined && spans.length === 1 ? only : { segments: [...spans] };
}

/** The newest seconds of a Recording are still on their way to its file. */
const UNWRITTEN_SECONDS = 5;

/** The last seconds that can be cut out of a Recording of this length which is still written. */
export function lastSeconds(length: number, seconds: number): Marks {
  const end = Math.max(0, length - UNWRITTEN_SECONDS);
  return { in: timeCode(Math.max(0, end - seconds)), out: timeCode(end) };
}

/** The Asset's name for what was typed; undefined where the server is to choose one. */
export function clipFileName(typed: string): string | undefined {
  const name = typed.trim();
  if (name === '') return undefined;
  return /\.mp4$/iu.test(name) ? name : `${name}.mp4`;
}
