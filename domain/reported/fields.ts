/**
 * Fields of what Devices say. Text is cut and measures are mended, since they are shown and no more; what says whom and what is refused when
 * it is wrong.
 */
import { made, such, textOf, Unfit, wholeFrom, type Form } from './forms.ts';

/** Control characters steer terminals, and a half of a surrogate pair is refused by PostgreSQL. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/gu;
export const RUN_ID = /^[\w-][\w.-]{0,99}$/u;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/u;
/** Facts of an event are told beside its message; no runner says more than a tenth of these. */
const MAX_DEPTH = 5;
const MAX_FACTS = 200;
const MAX_FACT = 500;

/**
 * Says no to the 30th of February as well, of which Date makes a day in March, and to 24 hours. Each report of a broadcast has ten instants, and
 * only those that Date may have moved are compared with what it made of them.
 */
function isInstant(given: string): boolean {
  const ms = INSTANT.test(given) ? Date.parse(given) : NaN;
  const isAsGiven = given.slice(8, 10) <= '28' && given.slice(11, 13) < '24';
  return ms >= 0 && (isAsGiven || new Date(ms).toISOString().startsWith(given.slice(0, 19)));
}

function printable(given: string, max: number): string {
  return given.slice(0, max).replace(UNPRINTABLE, ' ');
}

const anyText = textOf(Infinity);

export function text(max: number): Form<string> {
  return made(anyText, (given) => printable(given, max));
}

/** Messages and errors for people. */
export const sentence = text(1000);
export const title = text(255);
/** Names of codecs, positions and the like. */
export const word = text(60);

export const id = wholeFrom(Number.MIN_SAFE_INTEGER);
export const rowId = wholeFrom(1);
export const count = wholeFrom(0);
export const instant = such(anyText, isInstant, 'must be an instant of UTC');
export const runId = such(anyText, (given) => RUN_ID.test(given), 'is not the id of a run');

/** JSON has null for what is no number. */
function measured<T>(otherwise: T): Form<number | T> {
  return (given) => {
    if (given !== null && given !== undefined && typeof given !== 'number') throw new Unfit('must be a number');
    return Number.isFinite(given) ? (given as number) : otherwise;
  };
}

export const measure = measured(0);
export const orNoMeasure = measured(null);

/** Facts for programs, whose names are not known here. */
export const facts: Form<Record<string, unknown>> = (given) => {
  const left = { count: MAX_FACTS };
  const kept = factOf(given, MAX_DEPTH, left);
  return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as Record<string, unknown>) : {};
};

function factOf(value: unknown, depth: number, left: { count: number }): unknown {
  left.count -= 1;
  if (typeof value === 'string') return printable(value, MAX_FACT);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  const entries: [string, unknown][] = [];
  for (const [name, one] of Object.entries(value)) {
    if (left.count <= 0) break;
    entries.push([printable(name, MAX_FACT), factOf(one, depth - 1, left)]);
  }
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

/** A message or an answer that has not the form of one. */
export class NotUnderstood extends Error {}

/** Throws NotUnderstood, which names the first field that is wrong and no value: it may be long, or a secret. */
export function understood<T>(what: string, form: Form<T>, value: unknown): T {
  try {
    return form(value);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new NotUnderstood(`${printable([what, ...error.path].join('.'), 200)}: ${printable(error.message, 200)}`);
  }
}
