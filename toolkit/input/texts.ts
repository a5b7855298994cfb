/** Every text in the arguments of a call, with the place where it stands. */

/**
 * `field` is the name of the nearest field around the text, empty where there is none. `path` has the names and indexes that lead to the
 * text; it is one array for all texts, so that a call without a finding makes none for each of its fields.
 */
type Visit = (text: string, field: string, path: readonly string[]) => void;

export function forEachText(args: unknown, visit: Visit): void {
  walk(args, '', [], visit);
}

function walk(value: unknown, field: string, path: string[], visit: Visit): void {
  if (typeof value === 'string') return visit(value, field, path);
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const name of Object.keys(value)) {
    path.push(name);
    walk((value as Record<string, unknown>)[name], isList ? field : name, path, visit);
    path.pop();
  }
}
