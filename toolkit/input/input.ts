/** Parses unknown values into typed ones, with findings that name the field. */
import type { z } from 'zod/v3';
import { invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import { offered, valueCalled } from '../labels.ts';
import { fieldMeant, objectMeant, type Meant } from './meant-fields.ts';
import { nearestWord } from './near-misses.ts';

/** Nobody reads a longer list, and a list may not be a thousand times the size of the input. */
const MAX_FINDINGS = 50;
const MAX_FIELD = 200;

/** The schema and the sent value explain some findings. */
interface Hints {
  /** The known field that is meant by an unknown one. */
  field(issue: z.ZodUnrecognizedKeysIssue, key: string): Meant;
  /** The object that is meant by a bare value. */
  object(issue: z.ZodInvalidTypeIssue): object | undefined;
}
const NO_HINTS: Hints = { field: () => [], object: () => undefined };

/** Translates zod's first 50 issues into our words: `too_long`, `required`, `unknown_field`… with the limits and the nearest right word. */
export function toFieldIssues(issues: readonly z.ZodIssue[], hints = NO_HINTS): FieldIssue[] {
  const findings = issues.slice(0, MAX_FINDINGS).flatMap((issue): FieldIssue[] => {
    const field = dotted(issue.path);
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys
          .slice(0, MAX_FINDINGS)
          .map((key) => unknownField(dotted([...issue.path, key]), hints.field(issue, key)));
      case 'too_big':
        return [outOfBound(field, issue, 'max', Number(issue.maximum))];
      case 'too_small':
        return [outOfBound(field, issue, 'min', Number(issue.minimum))];
      case 'invalid_type':
        return [wrongType(field, issue, hints.object(issue))];
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
  return findings.slice(0, MAX_FINDINGS);
}

/** The dotted path, cut off, because the caller chooses the names of unknown fields and their length. */
function dotted(path: readonly (string | number)[]): string {
  return path.join('.').slice(0, MAX_FIELD);
}

function wrongType(
  field: string,
  { expected, received }: z.ZodInvalidTypeIssue,
  nearest: object | undefined,
): FieldIssue {
  if (received === 'undefined') return { field, code: 'required', message: 'is required' };
  const message = `must be ${article(expected)}, not ${received}`;
  if (nearest === undefined) return { field, code: 'invalid_type', message, expected };
  const fields = Object.entries(nearest).map(([name, word]) => `${name} ${JSON.stringify(word)}`);
  const question = `did you mean one with ${fields.join(', ')}?`;
  return { field, code: 'invalid_type', message: `${message}; ${question}`, expected, nearest };
}

function unknownField(field: string, [nearest, ...others]: Meant): FieldIssue {
  const message = 'is not a field of this operation';
  if (nearest === undefined) return { field, code: 'unknown_field', message };
  if (others.length > 0) {
    const all = [nearest, ...others].slice(0, 5);
    return { field, code: 'unknown_field', message: `${message}; did you mean ${all.join(' or ')}?` };
  }
  return { field, code: 'unknown_field', message: `${message}; did you mean ${nearest}?`, nearest };
}

function outsideList(field: string, allowed: readonly (string | number)[], received: unknown): FieldIssue {
  const message = `must be one of ${allowed.join(', ')}`;
  const words = offered(allowed.map(String));
  const nearest =
    typeof received === 'string' ? (valueCalled(received, words) ?? nearestWord(received, words)) : undefined;
  if (nearest === undefined) return { field, code: 'invalid_value', message, allowed };
  return { field, code: 'invalid_value', message: `${message}; did you mean ${nearest}?`, allowed, nearest };
}

const BOUND_CODES = {
  max: { string: 'too_long', array: 'too_many', number: 'too_large' },
  min: { string: 'too_short', array: 'too_few', number: 'too_small' },
} as const;

/** `limit` names the bound. Its number stands under the name beside the words, and an exclusive bound has the name of JSON Schema. */
function outOfBound(
  field: string,
  { type, inclusive }: { type: string; inclusive: boolean },
  limit: 'max' | 'min',
  bound: number,
): FieldIssue {
  const words = limit === 'max' ? 'at most' : 'at least';
  const codes = BOUND_CODES[limit];
  if (type === 'string')
    return { field, code: codes.string, message: `must be ${words} ${bound} characters`, [limit]: bound };
  if (type === 'array')
    return { field, code: codes.array, message: `must hold ${words} ${bound} elements`, [limit]: bound };
  if (inclusive) return { field, code: codes.number, message: `must be ${words} ${bound}`, [limit]: bound };
  const message = `must be ${limit === 'max' ? 'less' : 'more'} than ${bound}`;
  return { field, code: codes.number, message, [limit === 'max' ? 'exclusiveMaximum' : 'exclusiveMinimum']: bound };
}

function article(noun: string): string {
  return `${/^[aeiou]/u.test(noun) ? 'an' : 'a'} ${noun}`;
}

/**
 * Answers the typed value, or throws AppError invalid_input with every finding. `sent` is the caller's own value, where `value` has defaults
 * too: only a field that the caller sent cannot be the one that is meant by an unknown field.
 */
export function parseInput<S extends z.ZodTypeAny>(schema: S, value: unknown, sent = value): z.infer<S> {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data as z.infer<S>;
  const { issues } = parsed.error;
  const at = (path: readonly (string | number)[]): unknown =>
    path.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], sent);
  throw invalidInput(
    toFieldIssues(issues, {
      field: ({ path }, key) => fieldMeant(schema, at(path) as object, issues, path, key),
      object: ({ path, expected }) => (expected === 'object' ? objectMeant(schema, path, at(path)) : undefined),
    }),
  );
}
