/** When faults of the source are alarms. `detect` has had the seconds of three of them under names of its own: they are one value. */
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import { alarmsField, detectField, type Alarms } from '../../shapes/broadcasts/sound.ts';

type Watched = Pick<Livestream, 'detect' | 'alarms'>;

const USUAL = { detect: detectField.parse({}), alarms: alarmsField.parse({}) };
const UNWATCHED = { silence: null, black: null, frozen: null };
const NAMES = [
  ['silence_seconds', 'silence'],
  ['black_seconds', 'black'],
  ['frozen_seconds', 'frozen'],
] as const;

export function alarmsOf({ detect, alarms = USUAL.alarms }: Readonly<Watched>): Alarms {
  // Seconds of `detect` may have a fraction.
  const seconds = NAMES.map(([field, name]) => [field, Math.ceil(detect?.[name]?.seconds ?? 0)] as const);
  return { ...alarms, ...Object.fromEntries(seconds) };
}

/** The row with both names of each value the same: the one that was changed counts, and `sent` before `detect`. */
export function withAlarms<R extends Watched>(
  row: R,
  before: Readonly<Watched> = USUAL,
  sent: Partial<Alarms> = {},
): R & { alarms: Alarms } {
  const was = alarmsOf(before);
  const wanted = { ...was, ...sent };
  const changed = NAMES.filter(([field]) => wanted[field] !== was[field]).map(([field, name]) => {
    const watch = { ...(row.detect?.[name] ?? USUAL.detect[name]), seconds: wanted[field] };
    return [name, wanted[field] === 0 ? null : watch] as const;
  });
  const detect = changed.length === 0 ? row.detect : { ...UNWATCHED, ...row.detect, ...Object.fromEntries(changed) };
  return { ...row, detect, alarms: alarmsOf({ detect, alarms: wanted }) };
}
