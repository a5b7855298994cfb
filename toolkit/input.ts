/** Unknown values into typed ones, with findings that name the field. */
import { z } from 'zod/v3';
import { invalidInput, type FieldIssue } from '../domain/errors.ts';
import { nearestWord } from './near-misses.ts';

/** Who has more wrong than this reads no list; and a list may not be a thousand times what was sent. */
const MOST_FINDINGS = 50;
const LONGEST_FIELD = 200;

/** The known field that an unknown one was meant to be. */
type NearestField = (issue: z.ZodUnrecognizedKeysIssue, key: string) => string | undefined;

/** zod's words into ours: `too_long`, `required`, `unknown_field`… with the limits, and the nearest right word, beside them. The first 50. */
export function toFieldIssues(
  issues: readonly z.ZodIssue[],
  nearestField: NearestField = () => undefined,
): FieldIssue[] {
  const told = issues.slice(0, MOST_FINDINGS).flatMap((issue): FieldIssue[] => {
    const field = dotted(issue.path);
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys
          .slice(0, MOST_FINDINGS)
          .map((key) => unknownField(dotted([...issue.path, key]), nearestField(issue, key)));
      case 'too_big':
        return [outOfBound(field, issue.type, 'max', Number(issue.maximum))];
      case 'too_small':
        return [outOfBound(field, issue.type, 'min', Number(issue.minimum))];
      case 'invalid_type':
        return [
          issue.received === 'undefined'
            ? { field, code: 'required', message: 'is required' }
            : {
                field,
                code: 'invalid_type',
                message: `must be ${article(issue.expected)}, not ${issue.received}`,
                expected: issue.expected,
              },
        ];
      case 'invalid_enum_value':
        return [outsideList(field, issue.options, issue.received)];
      case 'invalid_union': {
        const allowed = issue.unionErrors.flatMap((error) =>
          error.issues.flatMap((inner) => ('expected' in inner ? [inner.expected] : [])),
        );
        const kinds = [...new Set(allowed)];
        return [{ field, code: 'invalid_value', message: `must be one of ${kinds.join(', ')}`, allowed: kinds }];
      }
      case 'invalid_string':
        return [{ field, code: 'invalid_format', message: issue.message }];
      default:
        return [{ field, code: issue.code, message: issue.message }];
    }
  });
  return told.slice(0, MOST_FINDINGS);
}

/** Dotted. The names of unknown fields are the caller's, of any length. */
function dotted(path: readonly (string | number)[]): string {
  return path.join('.').slice(0, LONGEST_FIELD);
}

function unknownField(field: string, nearest: string | undefined): FieldIssue {
  const message = 'is not a field of this operation';
  if (nearest === undefined) return { field, code: 'unknown_field', message };
  return { field, code: 'unknown_field', message: `${message}; did you mean ${nearest}?`, nearest };
}

function outsideList(field: string, allowed: readonly (string | number)[], received: unknown): FieldIssue {
  const message = `must be one of ${allowed.join(', ')}`;
  const nearest = typeof received === 'string' ? nearestWord(received, allowed.map(String)) : undefined;
  if (nearest === undefined) return { field, code: 'invalid_value', message, allowed };
  return { field, code: 'invalid_value', message: `${message}; did you mean ${nearest}?`, allowed, nearest };
}

const BOUND_CODES = {
  max: { string: 'too_long', array: 'too_many', number: 'too_large' },
  min: { string: 'too_short', array: 'too_few', number: 'too_small' },
} as const;

/** `limit` says which bound was passed; it is told under its own name beside the words. */
function outOfBound(field: string, type: string, limit: 'max' | 'min', bound: number): FieldIssue {
  const words = limit === 'max' ? 'at most' : 'at least';
  const codes = BOUND_CODES[limit];
  if (type === 'string')
    return { field, code: codes.string, message: `must be ${words} ${bound} characters`, [limit]: bound };
  if (type === 'array')
    return { field, code: codes.array, message: `must hold ${words} ${bound} elements`, [limit]: bound };
  return { field, code: codes.number, message: `must be ${words} ${bound}`, [limit]: bound };
}

function article(noun: string): string {
  return `${/^[aeiou]/u.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Throws AppError invalid_input with every finding. */
export function parseInput<S extends z.ZodTypeAny>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data as z.infer<S>;
  const { issues } = parsed.error;
  throw invalidInput(toFieldIssues(issues, (issue, key) => nearestField(schema, value, issues, issue.path, key)));
}

/** Of the fields that were not given; those that are missed come first. */
function nearestField(
  schema: z.ZodTypeAny,
  value: unknown,
  issues: readonly z.ZodIssue[],
  path: readonly (string | number)[],
  key: string,
): string | undefined {
  const here = path.join('.');
  const missed = issues.flatMap((issue) => {
    const isMissed = issue.code === 'invalid_type' && issue.received === 'undefined';
    return isMissed && issue.path.slice(0, -1).join('.') === here ? [String(issue.path.at(-1))] : [];
  });
  const given = path.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], value) as object;
  const free = fieldsAt(schema, path).filter((name) => !Object.hasOwn(given, name));
  return nearestWord(key, missed) ?? nearestWord(key, free);
}

function fieldsAt(schema: z.ZodTypeAny, path: readonly (string | number)[]): string[] {
  const bare = bareOf(schema);
  const [step, ...rest] = path;
  if (bare instanceof z.ZodArray) return fieldsAt(bare.element as z.ZodTypeAny, rest);
  if (!(bare instanceof z.ZodObject)) return [];
  const shape = bare.shape as z.ZodRawShape;
  if (step === undefined) return Object.keys(shape);
  const inner = shape[step];
  return inner === undefined ? [] : fieldsAt(inner, rest);
}

/** The schema without what makes it optional, nullable or filled in. */
function bareOf(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return bareOf(schema.unwrap() as z.ZodTypeAny);
  if (schema instanceof z.ZodDefault) return bareOf(schema.removeDefault() as z.ZodTypeAny);
  return schema instanceof z.ZodEffects ? bareOf(schema.innerType() as z.ZodTypeAny) : schema;
}
