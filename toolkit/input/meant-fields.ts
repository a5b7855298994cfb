/** Which field of a schema an unknown one was meant to be, and which object a bare value. */
import { z } from 'zod/v3';
import { fieldCalled } from '../labels.ts';
import { nearestWord, sameLetters } from './near-misses.ts';

type Path = readonly (string | number)[];

/** A field, with a dotted path where it lies deeper; several, where it may lie in one as in another. */
export type Meant = readonly string[];

/**
 * Of the fields that were not given: by its letters, by what it is called, by its name further inside, and nearly so. What is missed comes
 * before what may be left out.
 */
export function fieldMeant(
  schema: z.ZodTypeAny,
  given: object,
  issues: readonly z.ZodIssue[],
  path: Path,
  key: string,
): Meant {
  const object = objectAt(schema, path);
  if (object === undefined) return [];
  const here = path.join('.');
  const missed = issues.flatMap((issue) => {
    const isStillLost = issue.code === 'invalid_type' && issue.received === 'undefined';
    return isStillLost && issue.path.slice(0, -1).join('.') === here ? [String(issue.path.at(-1))] : [];
  });
  const free = Object.keys(object.shape as z.ZodRawShape).filter((name) => !Object.hasOwn(given, name));
  const known = sameLetters(key, free) ?? fieldCalled(key, free);
  if (known !== undefined) return [known];
  const deeper = pathsTo(object, key);
  if (deeper.length > 0) return deeper;
  const near = nearestWord(key, missed) ?? nearestWord(key, free);
  return near === undefined ? [] : [near];
}

/** A word in place of an object, one field of which takes just such words: `"daily"` is `{"type": "daily"}`. */
export function objectMeant(schema: z.ZodTypeAny, path: Path, given: unknown): Record<string, string> | undefined {
  const shape = objectAt(schema, path)?.shape as z.ZodRawShape | undefined;
  if (shape === undefined || typeof given !== 'string') return undefined;
  const said = given.toLowerCase();
  const fits = Object.entries(shape).flatMap(([name, field]) => {
    const bare = bareOf(field);
    const word = bare instanceof z.ZodEnum && (bare.options as string[]).find((each) => each.toLowerCase() === said);
    return typeof word === 'string' ? [{ [name]: word }] : [];
  });
  return fits.length === 1 ? fits[0] : undefined;
}

/** Dotted, through objects alone: in a list nobody can know which element is meant. */
function pathsTo(object: z.AnyZodObject, key: string): string[] {
  return Object.entries(object.shape as z.ZodRawShape).flatMap(([name, field]) => {
    const inner = bareOf(field);
    if (!(inner instanceof z.ZodObject)) return [];
    const here = sameLetters(key, Object.keys(inner.shape as z.ZodRawShape));
    return [...(here === undefined ? [] : [here]), ...pathsTo(inner, key)].map((rest) => `${name}.${rest}`);
  });
}

function objectAt(schema: z.ZodTypeAny, path: Path): z.AnyZodObject | undefined {
  const bare = bareOf(schema);
  const [step, ...rest] = path;
  if (bare instanceof z.ZodArray) return objectAt(bare.element as z.ZodTypeAny, rest);
  if (!(bare instanceof z.ZodObject)) return undefined;
  if (step === undefined) return bare;
  const inner = (bare.shape as z.ZodRawShape)[step];
  return inner === undefined ? undefined : objectAt(inner, rest);
}

/** The schema without what makes it optional, nullable or filled in. */
function bareOf(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return bareOf(schema.unwrap() as z.ZodTypeAny);
  if (schema instanceof z.ZodDefault) return bareOf(schema.removeDefault() as z.ZodTypeAny);
  return schema instanceof z.ZodEffects ? bareOf(schema.innerType() as z.ZodTypeAny) : schema;
}
