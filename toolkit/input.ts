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
  throw invalidInput(toFieldIssues(parsed.error.issues));
}
