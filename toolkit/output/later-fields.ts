/**
 * Fields that this version does not know: a server of a later one may share the store. They are not answered, because nobody here knows whether
 * they may be, and they stay in their rows.
 */
import type { z } from 'zod/v3';
import { isPlain } from '../../domain/base/schema.ts';

/** An object that has them, by its place. */
export interface LaterFields {
  path: readonly (string | number)[];
  fields: Readonly<Record<string, unknown>>;
}

/** Finds them in what is wrong with a value; other faults are left to who parses. */
export function laterFields(value: unknown, issues: readonly z.ZodIssue[]): LaterFields[] {
  return issues.flatMap((issue): LaterFields[] => {
    if (issue.code === 'invalid_union') return laterOfUnion(value, issue.unionErrors);
    if (issue.code !== 'unrecognized_keys') return [];
    const { path, keys } = issue;
    const holder = at(value, path);
    return isPlain(holder) ? [{ path, fields: Object.fromEntries(keys.map((key) => [key, holder[key]])) }] : [];
  });
}

/** The first member of a union that nothing else is wrong with. */
function laterOfUnion(value: unknown, errors: readonly z.ZodError[]): LaterFields[] {
  const fitting = errors.find(({ issues }) => issues.every(({ code }) => code === 'unrecognized_keys'));
  return fitting === undefined ? [] : laterFields(value, fitting.issues);
}

export function without(value: unknown, later: readonly LaterFields[]): unknown {
  if (later.length === 0) return value;
  const copy = structuredClone(value);
  for (const { path, fields } of later) {
    const holder = at(copy, path) as Record<string, unknown>;
    for (const key of Object.keys(fields)) delete holder[key];
  }
  return copy;
}

/** Puts them back where their object still is. */
export function withLater<T>(value: T, later: readonly LaterFields[]): T {
  if (later.length === 0) return value;
  const copy = structuredClone(value);
  for (const { path, fields } of later) {
    const holder = at(copy, path);
    if (isPlain(holder)) Object.assign(holder, fields);
  }
  return copy;
}

export function namesOf(later: readonly LaterFields[]): string[] {
  return later.flatMap(({ path, fields }) => Object.keys(fields).map((key) => [...path, key].join('.')));
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((holder, key) => (holder as Record<string, unknown> | undefined)?.[key], value);
}
