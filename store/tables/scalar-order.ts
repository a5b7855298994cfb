/** The order of indexed values: null, then false and true, then numbers, then strings by UTF-16 code unit. */
import type { Scalar } from '../../domain/ports/store.ts';

export function compareScalars(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  // Both are of one kind and not equal, so neither is null.
  if (typeof a === typeof b) return (a as string) < (b as string) ? -1 : 1;
  return kindOf(a) - kindOf(b);
}

function kindOf(value: Scalar): number {
  switch (typeof value) {
    case 'string':
      return 3;
    case 'number':
      return 2;
    case 'boolean':
      return 1;
    default:
      return 0;
  }
}

/** A row's indexed value; a field that is left out counts as null, as it does in JSON answers. */
export function scalarOf(row: Readonly<Record<string, unknown>>, field: string): Scalar {
  const value = row[field];
  if (value === undefined || value === null) return null;
  if (typeof value === 'object')
    throw new TypeError(
      `The indexed field ${field} holds ${JSON.stringify(value)}; only text, numbers, booleans and null are indexed.`,
    );
  return value as Scalar;
}
