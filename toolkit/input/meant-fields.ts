/** Finds the field of a schema that is meant by an unknown one, and the object that is meant by a bare value. */
import { z } from 'zod/v3';
import { fieldCalled } from '../labels.ts';
import { bareSchema } from './bare-schema.ts';
import { nearestWord, sameLetters } from './near-misses.ts';

type Path = readonly (string | number)[];

/** The dotted path of a field; several paths where the field may lie in more than one object. */
export type Meant = readonly string[];

/**
 * Looks among the fields that the call leaves out: first by letters, then by another name of the field, then by the name of a deeper field,
 * then by near letters, where required fields come before optional ones.
 */
export function fieldMeant(
  schema: z.ZodTypeAny,
  sent: object,
  issues: readonly z.ZodIssue[],
  path: Path,
  key: string,
): Meant {
  const object = objectAt(schema, path);
  if (object === undefined) return [];
  const here = path.join('.');
  const missing = issues.flatMap((issue) => {
    const isMissing = issue.code === 'invalid_type' && issue.received === 'undefined';
    return isMissing && issue.path.slice(0, -1).join('.') === here ? [String(issue.path.at(-1))] : [];
  });
  const free = Object.keys(object.shape as z.ZodRawShape).filter((name) => !Object.hasOwn(sent, name));
  const known = sameLetters(key, free) ?? fieldCalled(key, free);
  if (known !== undefined) return [known];
  const deeper = pathsTo(object, key);
  if (deeper.length > 0) return deeper;
  const near = nearestWord(key, missing) ?? nearestWord(key, free);
  return near === undefined ? [] : [near];
}

/** The object for a word that exactly one of its fields takes: `"daily"` is `{"type": "daily"}`. */
export function objectMeant(schema: z.ZodTypeAny, path: Path, value: unknown): Record<string, string> | undefined {
  const shape = objectAt(schema, path)?.shape as z.ZodRawShape | undefined;
  if (shape === undefined || typeof value !== 'string') return undefined;
  const lowered = value.toLowerCase();
  const fits = Object.entries(shape).flatMap(([name, field]) => {
    const bare = bareSchema(field);
    const word = bare instanceof z.ZodEnum && (bare.options as string[]).find((each) => each.toLowerCase() === lowered);
    return typeof word === 'string' ? [{ [name]: word }] : [];
  });
  return fits.length === 1 ? fits[0] : undefined;
}

/** Dotted paths through objects alone, because nobody knows which element of a list is meant. */
function pathsTo(object: z.AnyZodObject, key: string): string[] {
  return Object.entries(object.shape as z.ZodRawShape).flatMap(([name, field]) => {
    const inner = bareSchema(field);
    if (!(inner instanceof z.ZodObject)) return [];
    const here = sameLetters(key, Object.keys(inner.shape as z.ZodRawShape));
    return [...(here === undefined ? [] : [here]), ...pathsTo(inner, key)].map((rest) => `${name}.${rest}`);
  });
}

function objectAt(schema: z.ZodTypeAny, path: Path): z.AnyZodObject | undefined {
  const bare = bareSchema(schema);
  const [step, ...rest] = path;
  if (bare instanceof z.ZodArray) return objectAt(bare.element as z.ZodTypeAny, rest);
  if (!(bare instanceof z.ZodObject)) return undefined;
  if (step === undefined) return bare;
  const inner = (bare.shape as z.ZodRawShape)[step];
  return inner === undefined ? undefined : objectAt(inner, rest);
}
