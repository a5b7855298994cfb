/**
 * Fields of what Devices say. Text is cut and measures are mended, since they are shown and no more; what says whom and what is refused when
 * it is wrong. Schemas drop fields that they do not know.
 */
import { z } from 'zod/v3';

/** Control characters steer terminals, and a half of a surrogate pair is refused by PostgreSQL. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/gu;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/u;
/** Facts of an event are told beside its message; no runner says more than a tenth of these. */
const MAX_DEPTH = 5;
const MAX_FACTS = 200;
const MAX_FACT = 500;

/** Says no to the 30th of February as well, of which Date makes a day in March. */
function isInstant(given: string): boolean {
  const ms = INSTANT.test(given) ? Date.parse(given) : NaN;
  return ms >= 0 && new Date(ms).toISOString().startsWith(given.slice(0, 19));
}

function printable(given: string, max: number): string {
  return given.slice(0, max).replace(UNPRINTABLE, ' ');
}

export function text(max: number): z.ZodType<string, z.ZodTypeDef, unknown> {
  return z.string().transform((given) => printable(given, max));
}

/** Messages and errors for people. */
export const sentence = text(1000);
export const title = text(255);
/** Names of codecs, positions and the like. */
export const word = text(60);

/** An object that says of each field of its type what it may hold: a field that is forgotten here would be lost on the way. */
export function shapeOf<T extends object>() {
  return <S extends Record<keyof T, z.ZodTypeAny>>(
    shape: S & Record<Exclude<keyof S, keyof T>, never>,
  ): z.ZodObject<S> => z.object<S>(shape);
}

/** Null too where an older version leaves the field out. */
export function orNull<T>(schema: z.ZodType<T, z.ZodTypeDef, unknown>): z.ZodType<T | null, z.ZodTypeDef, unknown> {
  return schema.nullish().transform((value) => value ?? null);
}

export const id = z.number().int().safe();
export const rowId = id.positive();
export const count = id.nonnegative();
/** zod builds the expression of its own anew for each value, which costs more than all else of a report. */
export const instant = z.string().refine(isInstant, 'must be an instant of UTC');
export const runId = z.string().regex(/^[\w-][\w.-]{0,99}$/u);
/** JSON has null for what is no number. */
export const measure = z
  .number()
  .nullish()
  .transform((value) => (Number.isFinite(value) ? value! : 0));
export const orNoMeasure = z
  .number()
  .nullish()
  .transform((value) => (Number.isFinite(value) ? value! : null));

/** A list whose entries are all right. */
export function list<T>(
  schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  max: number,
): z.ZodType<T[], z.ZodTypeDef, unknown> {
  return z.array(schema).max(max);
}

/** A list in which a newer version may have entries that this one does not know: they are left out. */
export function knownOf<T>(
  schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  max: number,
): z.ZodType<T[], z.ZodTypeDef, unknown> {
  return z.array(z.unknown()).transform((given) =>
    given.slice(0, max).flatMap((one) => {
      const parsed = schema.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}

/** Facts for programs, whose names are not known here. */
export const facts = z.unknown().transform((given): Record<string, unknown> => {
  const left = { count: MAX_FACTS };
  const kept = factOf(given, MAX_DEPTH, left);
  return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as Record<string, unknown>) : {};
});

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

/** The form of something that comes in as unknown. */
export type Form<T> = z.ZodType<T, z.ZodTypeDef, unknown>;

/** A message or an answer that has not the form of one. */
export class NotUnderstood extends Error {}

/** Throws NotUnderstood, which names the first field that is wrong and no value: it may be long, or a secret. */
export function understood<T>(what: string, schema: Form<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = [what, ...(issue?.path ?? [])].join('.');
  throw new NotUnderstood(`${printable(place, 200)}: ${printable(issue?.message ?? '', 200)}`);
}
