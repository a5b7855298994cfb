/** Unknown values into typed ones, with findings that name the field. */
import type { z } from 'zod/v3';
import { invalidInput, type FieldIssue } from '../domain/errors.ts';

/** zod's words into ours: `too_long`, `required`, `unknown_field`… with the limits beside them. */
export function toFieldIssues(issues: readonly z.ZodIssue[]): FieldIssue[] {
  return issues.flatMap((issue): FieldIssue[] => {
    const field = issue.path.join('.');
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => ({
          field: [...issue.path, key].join('.'),
          code: 'unknown_field',
          message: 'is not a field of this operation',
        }));
      case 'too_big':
        return [
          issue.type === 'string'
            ? {
                field,
                code: 'too_long',
                message: `must be at most ${issue.maximum} characters`,
                max: Number(issue.maximum),
              }
            : issue.type === 'array'
              ? {
                  field,
                  code: 'too_many',
                  message: `must hold at most ${issue.maximum} elements`,
                  max: Number(issue.maximum),
                }
              : { field, code: 'too_large', message: `must be at most ${issue.maximum}`, max: Number(issue.maximum) },
        ];
      case 'too_small':
        return [
          issue.type === 'string'
            ? {
                field,
                code: 'too_short',
                message: `must be at least ${issue.minimum} characters`,
                min: Number(issue.minimum),
              }
            : issue.type === 'array'
              ? {
                  field,
                  code: 'too_few',
                  message: `must hold at least ${issue.minimum} elements`,
                  min: Number(issue.minimum),
                }
              : { field, code: 'too_small', message: `must be at least ${issue.minimum}`, min: Number(issue.minimum) },
        ];
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
        return [
          {
            field,
            code: 'invalid_value',
            message: `must be one of ${issue.options.join(', ')}`,
            allowed: issue.options,
          },
        ];
      case 'invalid_union': {
        const allowed = issue.unionErrors.flatMap((error) =>
          error.issues.flatMap((inner) => ('expected' in inner ? [inner.expected] : [])),
        );
        return [{ field, code: 'invalid_value', message: `must be one of ${allowed.join(', ')}`, allowed }];
      }
      case 'invalid_string':
        return [{ field, code: 'invalid_format', message: issue.message }];
      default:
        return [{ field, code: issue.code, message: issue.message }];
    }
  });
}

function article(noun: string): string {
  return `${/^[aeiou]/u.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Throws AppError invalid_input with every finding. */
export function parseInput<S extends z.ZodTypeAny>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data as z.infer<S>;
  throw invalidInput(toFieldIssues(parsed.error.issues));
}
