/** A refused change beside the row as it is now. */
export interface Difference {
  path: string;
  mine: string;
  /** undefined: the server does not say, as of a secret. */
  theirs: string | undefined;
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function differences(mine: object, theirs: object, prefix = ''): Difference[] {
  return Object.entries(mine).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`;
    const other = (theirs as Readonly<Record<string, unknown>>)[name];
    if (isObject(value) && isObject(other)) return differences(value, other, `${path}.`);
    if (text(value) === text(other)) return [];
    const isSecret = !(name in theirs) && `has_${name}` in theirs;
    return [{ path, mine: isSecret ? '••••' : text(value), theirs: isSecret ? undefined : text(other) }];
  });
}
