/** Rows are replaced, never mutated: incoming rows are copied and frozen, so memory equals what a restart reads back from disk. */

/**
 * A frozen deep copy with the meaning that JSON gives: undefined properties vanish, -0 is 0.
 * Throws TypeError on what JSON would lose in silence (NaN, dates, class instances, functions).
 */
export function frozenCopy<T>(value: T): T {
  return copyOf(value, 'row') as T;
}

function copyOf(value: unknown, key: string): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`A row cannot hold the number ${value} (${key}).`);
      return value + 0;
    case 'object':
      if (value === null) return null;
      return Object.freeze(Array.isArray(value) ? copyOfArray(value, key) : copyOfObject(value, key));
    default:
      throw new TypeError(`A row cannot hold a ${typeof value} (${key}).`);
  }
}

function copyOfArray(values: unknown[], key: string): unknown[] {
  const copy: unknown[] = [];
  for (const value of values) copy.push(value === undefined ? null : copyOf(value, key));
  return copy;
}

function copyOfObject(source: object, key: string): Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(source);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError(`A row holds plain objects only (${key}).`);
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(source)) {
    const value = (source as Record<string, unknown>)[name];
    if (value === undefined) continue;
    const inner = copyOf(value, name);
    // Plain assignment to this name would set the prototype and lose the property.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: inner, enumerable: true });
    else copy[name] = inner;
  }
  return copy;
}

/** Freezes in place a value that JSON.parse has just made and that nobody else refers to. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
