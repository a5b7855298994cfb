/** From when to when something was moved, in the zone that is shown. */
import { language } from '../../../i18n/words.ts';
import { shownZone } from '../../../shown-zone.ts';
import { clockText, dateText } from '../../../zone.ts';
import { words } from '../words.ts';

interface Times {
  start: string;
  end: string;
}

export function movedText(before: Times, after: Times): string {
  const at = (instant: string): string => {
    const ms = Date.parse(instant);
    return `${dateText(ms, shownZone.value, language.value)} ${clockText(ms, shownZone.value).slice(0, 5)}`;
  };
  return words.value.movedFrom(at(before.start), at(before.end), at(after.start), at(after.end));
}
