/**
 * Checks the text of every operation: Unicode that UTF-8 can carry, without control characters. One rule holds for all fields and
 * transports, so that no field can be forgotten, and the schema of a field adds its own rules.
 */
import { invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import { forEachText } from './texts.ts';

const MAX_FINDINGS = 20;
const MAX_FIELD = 200;
/** Half of a surrogate pair is no character: JSON can escape one, UTF-8 cannot carry it. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const CONTROL = /\p{Control}/u;
/** Tab, line feed and carriage return belong to text of several lines. */
const CONTROL_IN_LINES = /(?![\t\n\r])\p{Control}/u;
/**
 * These fields may have several lines: texts for people (a description, a text over the picture, the text of an ID3 tag), and files as text
 * (a licence, content in base64), which come with line breaks.
 */
const SEVERAL_LINES: ReadonlySet<string> = new Set(['description', 'text', 'value', 'license', 'content_base64']);

/** Throws AppError invalid_input that names each field. */
export function assertPlainText(args: unknown): void {
  const issues: FieldIssue[] = [];
  forEachText(args, (text, field, path) => {
    if (issues.length >= MAX_FINDINGS) return;
    const message = faultOf(text, SEVERAL_LINES.has(field));
    if (message !== undefined)
      issues.push({ field: path.join('.').slice(0, MAX_FIELD), code: 'invalid_format', message });
  });
  if (issues.length > 0) throw invalidInput(issues);
}

function faultOf(text: string, mayHaveLines: boolean): string | undefined {
  if (LONE_SURROGATE.test(text)) return 'must be Unicode text; it holds half of a surrogate pair';
  if (!(mayHaveLines ? CONTROL_IN_LINES : CONTROL).test(text)) return undefined;
  return `must not contain control characters${mayHaveLines ? ' but tabs and line breaks' : ''}`;
}
