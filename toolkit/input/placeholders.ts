/** Placeholders take the place of texts that a corrected call does not repeat. One that comes back unchanged is refused as a value. */
import { invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import { forEachText } from './texts.ts';

export function placeholderOf(field: string): string {
  return `<${field}>`;
}

/** Throws AppError invalid_input that names each value which is its own field's placeholder. */
export function assertNoPlaceholder(args: unknown): void {
  const issues: FieldIssue[] = [];
  forEachText(args, (text, field, path) => {
    if (field === '' || text !== placeholderOf(field)) return;
    const message = `is ${text}, which stands for a text that was not repeated; send the text itself`;
    issues.push({ field: path.join('.'), code: 'placeholder', message });
  });
  if (issues.length > 0) throw invalidInput(issues.slice(0, 20));
}
