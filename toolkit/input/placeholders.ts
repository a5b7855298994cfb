/** Placeholders take the place of texts that a corrected call does not repeat. One that comes back unchanged is refused as a value. */
import { invalidInput, type FieldIssue } from '../../domain/errors.ts';

export function placeholderOf(field: string): string {
  return `<${field}>`;
}

/** Throws AppError invalid_input that names each value which is its own field's placeholder. */
export function assertNoPlaceholder(args: unknown): void {
  const issues = placeholdersIn(args, '', []);
  if (issues.length > 0) throw invalidInput(issues.slice(0, 20));
}

function placeholdersIn(value: unknown, field: string, path: readonly string[]): FieldIssue[] {
  if (typeof value === 'string') {
    if (field === '' || value !== placeholderOf(field)) return [];
    const message = `is ${value}, which stands for a text that was not repeated; send the text itself`;
    return [{ field: path.join('.'), code: 'placeholder', message }];
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => placeholdersIn(item, field, [...path, String(at)]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => placeholdersIn(inner, name, [...path, name]));
}
