/** Rows into the values of a form, and these into the body of a request. */
import { fieldsIn, type Field, type Values } from './field.ts';

export function initialValues(fields: readonly Field[], row?: Values): Values {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    // Bodies by type may name a field twice: the first stands for both.
    if (!(field.name in values)) values[field.name] = initialValue(field, row?.[field.name], row !== undefined);
  }
  return values;
}

function initialValue(field: Field, stored: unknown, isStored: boolean): unknown {
  const value = stored ?? field.initial;
  if (field.secret === true) return '';
  if (field.type === 'object') {
    if (field.nullable && (isStored ? stored == null : true)) return null;
    return initialValues(fieldsIn(field), stored as Values | undefined);
  }
  if (field.type === 'list') return ((value ?? []) as unknown[]).map((item) => itemValue(field, item));
  if (field.type === 'json') return value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
  if (field.type === 'boolean') return value ?? undefined;
  return value ?? '';
}

function itemValue({ item }: Field, value: unknown): unknown {
  return item?.type === 'object' ? initialValues(fieldsIn(item), value as Values) : value;
}

/** A new item of a list. */
export function emptyItem({ item }: Field): unknown {
  return item?.type === 'object' ? initialValues(fieldsIn(item)) : (item?.initial ?? '');
}

export function valueAt(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined | null)?.[key], values);
}

/** A copy in which one value is another. */
export function withValue(values: unknown, path: string, value: unknown): unknown {
  const [key = '', ...rest] = path.split('.');
  const inner = (held: unknown): unknown => (rest.length === 0 ? value : withValue(held, rest.join('.'), value));
  if (Array.isArray(values)) return values.map((item: unknown, index) => (String(index) === key ? inner(item) : item));
  return { ...(values as Values), [key]: inner((values as Values)[key]) };
}

export function isVisible({ when = {} }: Field, root: Values): boolean {
  return Object.entries(when).every(([path, allowed]) => allowed.includes(valueAt(root, path)));
}

export function isRequired({ required, requiredFor, when = {} }: Field, root: Values): boolean {
  const [path] = Object.keys(when);
  return required || (path !== undefined && requiredFor?.includes(valueAt(root, path)) === true);
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

interface Roots {
  root: Values;
  before: Values | undefined;
}

/**
 * The body of a new row without `before`; with it, what a person has changed. Fields of a type that is not chosen are left out: the server
 * refuses them.
 */
export function bodyOf(fields: readonly Field[], values: Values, before?: Values): Record<string, unknown> {
  return partOf(fields, values, before, { root: values, before });
}

function partOf(
  fields: readonly Field[],
  values: Values,
  before: Values | undefined,
  roots: Roots,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    if (!isVisible(field, roots.root)) continue;
    const wasVisible = roots.before !== undefined && isVisible(field, roots.before);
    const sent = sentValue(field, values[field.name], wasVisible ? before : undefined, roots);
    if (sent !== undefined) body[field.name] = sent;
  }
  return body;
}

/** undefined: the field is left out. */
function sentValue(field: Field, value: unknown, before: Values | undefined, roots: Roots): unknown {
  const held = before?.[field.name];
  if (field.secret === true) return value === '' ? undefined : value;
  if (field.type === 'object') {
    if (value === null) return before !== undefined && held !== null ? null : undefined;
    const inner = partOf(fieldsIn(field), value as Values, (held ?? undefined) as Values | undefined, roots);
    const isNeeded = before === undefined ? field.required || field.nullable : held === null;
    return Object.keys(inner).length > 0 || isNeeded ? inner : undefined;
  }
  if (before !== undefined && isSame(value, held)) return undefined;
  const wire = wireOf(field, value);
  const isBlank = wire === '' || wire === undefined || (Array.isArray(wire) && wire.length === 0);
  if (!isBlank) return wire;
  if (before === undefined) return isSame(value, emptyOf(field.initial)) ? undefined : blank(field, wire);
  return blank(field, wire);
}

function emptyOf(initial: unknown): unknown {
  return initial ?? '';
}

/** A list or a text that was emptied on purpose is sent so; what may be null is null. */
function blank(field: Field, wire: unknown): unknown {
  if (field.type === 'list') return field.initial === undefined && !field.required ? undefined : wire;
  return field.nullable ? null : field.initial === undefined ? undefined : wire;
}

/** A value that cannot be read as the field's type goes as it is: the server says what is wrong with it. */
function wireOf(field: Field, value: unknown): unknown {
  if (field.type === 'list') return (value as unknown[]).map((item) => wireItem(field, item));
  if (typeof value !== 'string' || value === '') return value;
  if (field.type === 'integer' || field.type === 'number')
    return Number.isFinite(Number(value)) ? Number(value) : value;
  if (field.type !== 'json') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function wireItem({ item }: Field, value: unknown): unknown {
  if (item === undefined) return value;
  if (item.type !== 'object') return wireOf(item, value);
  const values = value as Values;
  return partOf(fieldsIn(item), values, undefined, { root: values, before: undefined });
}
