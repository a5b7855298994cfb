/** Which fields of a row or a setting are others now: their names, never what they hold. */
import { isPlain } from './schema.ts';

/** Dotted, for objects within. */
export function changedNames(before: object, after: object): string[] {
  const [old, now] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  return Object.keys(now).flatMap((field) => {
    const [a, b] = [old[field], now[field]];
    if (isPlain(a) && isPlain(b)) return changedNames(a, b).map((inner) => `${field}.${inner}`);
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [field];
  });
}

/** `a new stream key, and new settings: url`; undefined: neither. `names` without the name of the object that holds the settings. */
export function sayChanged(names: readonly string[]): string | undefined {
  const others = names.filter((name) => name !== 'stream_key').join(', ');
  if (!names.includes('stream_key')) return others === '' ? undefined : `new settings: ${others}`;
  return `a new stream key${others === '' ? '' : `, and new settings: ${others}`}`;
}
