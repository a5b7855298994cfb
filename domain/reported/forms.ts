/**
 * Forms of what comes in as unknown: functions that answer the value as it is meant. A report comes each second for each run, and zod takes ten
 * times as long for it.
 */

export type Form<T> = (given: unknown) => T;

/** A value that has not its form. Its place is completed on the way out. */
export class Unfit extends Error {
  readonly path: (string | number)[] = [];
}

function unfit(message: string): never {
  throw new Unfit(message);
}

function at<T>(place: string | number, form: Form<T>, given: unknown): T {
  try {
    return form(given);
  } catch (error) {
    if (error instanceof Unfit) error.path.unshift(place);
    throw error;
  }
}

/** An object; fields that are not named here are dropped. */
export function shape<F extends Record<string, Form<unknown>>>(
  fields: F,
): Form<{ [K in keyof F]: ReturnType<F[K]> }> & { fields: F } {
  const entries = Object.entries(fields);
  const form = (given: unknown): { [K in keyof F]: ReturnType<F[K]> } => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) unfit('must be an object');
    const kept: Record<string, unknown> = {};
    for (const [name, field] of entries) {
      const value = at(name, field, (given as Record<string, unknown>)[name]);
      if (value !== undefined) kept[name] = value;
    }
    return kept as { [K in keyof F]: ReturnType<F[K]> };
  };
  return Object.assign(form, { fields });
}

/** The same for a type: a field of it that is forgotten here would be lost on the way. */
export function shapeOf<T extends object>() {
  return <F extends Record<keyof T, Form<unknown>>>(fields: F & Record<Exclude<keyof F, keyof T>, never>): Form<T> =>
    shape<Record<string, Form<unknown>>>(fields) as unknown as Form<T>;
}

/** Those fields of an object that it has; others than these are dropped. */
export function someOf<T extends object>(fields: { [K in keyof T]-?: Form<unknown> }): Form<Partial<T>> {
  return (given) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) unfit('must be an object');
    const kept: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given))
      if (Object.hasOwn(fields, name)) kept[name] = at(name, fields[name as keyof T], value);
    return kept as Partial<T>;
  };
}

/** A list whose entries are all right. */
export function list<T>(form: Form<T>, max: number): Form<T[]> {
  return (given) => {
    if (!Array.isArray(given)) unfit('must be a list');
    if (given.length > max) unfit(`must have ${max} entries at most`);
    return given.map((one: unknown, index) => at(index, form, one));
  };
}

/** A list in which a newer version may have entries that this one does not know: they are left out. */
export function knownOf<T>(form: Form<T>, max: number): Form<T[]> {
  return (given) => {
    if (!Array.isArray(given)) unfit('must be a list');
    return given.slice(0, max).flatMap((one: unknown) => {
      const known = orElse(form, undefined)(one);
      return known === undefined ? [] : [known];
    });
  };
}

export function pair<T>(form: Form<T>): Form<[T, T]> {
  return (given) => {
    if (!Array.isArray(given) || given.length !== 2) unfit('must be a pair');
    return [at(0, form, given[0]), at(1, form, given[1])];
  };
}

/** Null too where an older version leaves the field out. */
export function orNull<T>(form: Form<T>): Form<T | null> {
  return (given) => (given === null || given === undefined ? null : form(given));
}

export function optional<T>(form: Form<T>): Form<T | undefined> {
  return (given) => (given === undefined ? undefined : form(given));
}

/** A wrong value counts as `otherwise`. */
export function orElse<T, U>(form: Form<T>, otherwise: U): Form<T | U> {
  return (given) => {
    try {
      return form(given);
    } catch (error) {
      if (error instanceof Unfit) return otherwise;
      throw error;
    }
  };
}

/** A field that is left out counts as `otherwise`. */
export function orWithout<T>(form: Form<T>, otherwise: T): Form<T> {
  return (given) => (given === undefined ? otherwise : form(given));
}

export function oneOf<T extends string>(values: readonly T[]): Form<T> {
  return (given) => (values.includes(given as T) ? (given as T) : unfit(`must be one of ${values.join(', ')}`));
}

/** One of these; a value that is not known here counts as `otherwise`. */
export function nearest<T extends string, U extends string = T>(values: readonly T[], otherwise: U): Form<T | U> {
  return (given) => (values.includes(given as T) ? (given as T) : otherwise);
}

export const boolean: Form<boolean> = (given) => (typeof given === 'boolean' ? given : unfit('must be true or false'));

export function textOf(max: number): Form<string> {
  return (given) => {
    if (typeof given !== 'string') return unfit('must be a text');
    return given.length > max ? unfit(`must have ${max} characters at most`) : given;
  };
}

export function numberFrom(min: number, max = Number.MAX_VALUE): Form<number> {
  return (given) => {
    if (typeof given !== 'number' || !Number.isFinite(given)) return unfit('must be a number');
    return given < min || given > max ? unfit(`must be from ${min} to ${max}`) : given;
  };
}

export function wholeFrom(min: number): Form<number> {
  return (given) => {
    if (!Number.isSafeInteger(given)) return unfit('must be a whole number');
    return (given as number) < min ? unfit(`must be ${min} at least`) : (given as number);
  };
}

/** A value of the form of which something more is true. */
export function such<T>(form: Form<T>, test: (value: T) => boolean, message: string): Form<T> {
  return (given) => {
    const value = form(given);
    return test(value) ? value : unfit(message);
  };
}

export function made<T, U>(form: Form<T>, make: (value: T) => U): Form<U> {
  return (given) => make(form(given));
}
