/** The value of a JSON text; undefined for text that is not JSON, for callers to whom that is one more wrong value. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own words are about positions in a text that the sender of it does not see.
    return undefined;
  }
}
