import type { Schedule } from '../../shapes/schedules/schedule.ts';
import type { View } from '../../ports/store.ts';
import { wallAt } from '../../time/zone.ts';

/** Leaves room for the time within the 100 characters of a name. */
const MAX_CHARACTERS = 70;

/** Finds a name that no Schedule has: `Show 2026-01-02 20:00`, `Show daily 20:00`, with a number where that is taken. */
export function freeName(
  view: View,
  livestream: string,
  { start, recurrence, timezone }: Pick<Schedule, 'start' | 'recurrence' | 'timezone'>,
): string {
  const wall = new Date(wallAt(Date.parse(start), timezone)).toISOString();
  const when = recurrence.type === 'none' ? wall.slice(0, 10) : recurrence.type;
  const name = `${livestream.slice(0, MAX_CHARACTERS)} ${when} ${wall.slice(11, 16)}`;
  const isTaken = (candidate: string): boolean =>
    view.find('schedules', { where: { name: candidate }, limit: 1 }).total > 0;
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (!isTaken(candidate)) return candidate;
  }
}
