/** The value of a JSON text; undefined for text that is not JSON, for callers to whom that is one more wrong value. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own words are about positions in a text that the sender of it does not see.
    return undefined;
  }
}

/**
 * Compares as JSON does: an undefined field is no field, and the order of fields means nothing. It makes no copies, because it is called with
 * every report of every run.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, at) => isSameJson(item, b[at]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  for (const name of Object.keys(a)) if (!isSameJson(a[name], b[name])) return false;
  for (const name of Object.keys(b)) if (b[name] !== undefined && a[name] === undefined) return false;
  return true;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
