/** Names of the fields that differ between two rows or settings, never their values. */
import { isPlain } from './schema.ts';

/** Answers dotted names for fields of nested objects. */
export function changedNames(before: object, after: object): string[] {
  const [old, now] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  return Object.keys(now).flatMap((field) => {
    const [a, b] = [old[field], now[field]];
    if (isPlain(a) && isPlain(b)) return changedNames(a, b).map((inner) => `${field}.${inner}`);
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [field];
  });
}

/**
 * Answers `a new stream key, and new settings: url`; undefined when nothing is named. `names` come without the name of the settings object.
 */
export function sayChanged(names: readonly string[]): string | undefined {
  const others = names.filter((name) => name !== 'stream_key').join(', ');
  if (!names.includes('stream_key')) return others === '' ? undefined : `new settings: ${others}`;
  return `a new stream key${others === '' ? '' : `, and new settings: ${others}`}`;
}
