/** An occurrence in words. */
import { language } from '../../i18n/words.ts';
import { shownZone } from '../../shown-zone.ts';
import { dateText, wallTimeOf } from '../../zone.ts';
import type { Occurrence } from './data.ts';
import { words } from './words.ts';

/** `20:15` */
export function minuteText(instant: number): string {
  const { hour, minute } = wallTimeOf(instant, shownZone.value);
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

export function dayText(instant: number): string {
  return dateText(instant, shownZone.value, language.value);
}

export function itemText({ stream, name, state, start, end }: Occurrence): string {
  const w = words.value;
  const isSameDay = dayText(start) === dayText(end - 1);
  const to = isSameDay ? minuteText(end) : `${dayText(end)} ${minuteText(end)}`;
  return w.item(stream, name, w.states[state], `${dayText(start)} ${minuteText(start)}`, to);
}
