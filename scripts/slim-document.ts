/** The API description as the generators of types read it. */

/** Leaves out refusals, which every client treats alike, and the members of these names; a field may have such a name. */
export function slimDocument(value: unknown, leftOut: ReadonlySet<string>, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => slimDocument(item, leftOut));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, member]) => {
    if (isNames) return true;
    return !leftOut.has(key) && !(/^[45]\d\d$|^default$/u.test(key) && typeof member === 'object');
  });
  return Object.fromEntries(kept.map(([key, member]) => [key, slimDocument(member, leftOut, key === 'properties')]));
}
