/**
 * Bounds the depth and the number of values of one JSON document by its text. A refused document reaches no parser, no copy and no check of
 * a schema, each of which takes time by its number of values and blocks everybody else meanwhile.
 */
import { invalidInput } from '../../domain/base/errors.ts';

export interface JsonBounds {
  depth: number;
  values: number;
}

/** The deepest input of an operation has 6 levels, the fullest some hundred values. */
const INPUT_BOUNDS: JsonBounds = { depth: 32, values: 20_000 };

/** Throws AppError invalid_input that names the field. A text that is no JSON at all is left for the parser to refuse. */
export function assertBounded(text: string, field: string, { depth, values }: JsonBounds = INPUT_BOUNDS): void {
  const fault = measure(text, depth, values);
  if (fault === undefined) return;
  const issue =
    fault === 'too_deep'
      ? { code: fault, message: `is nested deeper than ${depth} levels`, max: depth }
      : { code: fault, message: `holds more than ${values} values`, max: values };
  throw invalidInput([{ field, ...issue }]);
}

/** Counts brackets and commas outside texts, because each value but the first follows one of them. */
function measure(text: string, maxDepth: number, maxValues: number): 'too_deep' | 'too_many' | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = endOfText(text, at);
    } else if (code === 44 || code === 123 || code === 91) {
      values += 1;
      if (code !== 44) depth += 1;
      if (depth > maxDepth) return 'too_deep';
      if (values > maxValues) return 'too_many';
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return undefined;
}

/** The place of the quote that ends the text which begins at `at`. It goes from quote to quote, because a text may be a file of megabytes. */
function endOfText(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
