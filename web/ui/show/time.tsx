/** An instant in the zone that the person has chosen; its title says it in UTC. */
import { dateText, clockText, wallTimeOf } from '../../zone.ts';
import { shownZone } from '../../shown-zone.ts';
import { language, words } from '../../i18n/words.ts';

interface TimeProps {
  /** ISO 8601, or milliseconds since 1970. */
  at: string | number | null | undefined;
  /** `near`: without the date when it is today. */
  show?: 'near' | 'time' | 'date' | 'both';
  /** The server's time, for `near`; left out, the date always stands there. */
  now?: number;
}

export function Time({ at, show = 'both', now }: TimeProps) {
  const instant = typeof at === 'string' ? Date.parse(at) : (at ?? NaN);
  if (Number.isNaN(instant)) return <span class="soft">{words.value.ui.notKnown}</span>;
  const zone = shownZone.value;
  const date = dateText(instant, zone, language.value);
  const time = clockText(instant, zone);
  const isToday = now !== undefined && dateText(now, zone, language.value) === date;
  const text = { near: isToday ? time : `${date} ${time}`, time, date, both: `${date} ${time}` }[show];
  return (
    <time dateTime={new Date(instant).toISOString()} title={utcText(instant)}>
      {text}
    </time>
  );
}

function utcText(instant: number): string {
  const { year, month, day } = wallTimeOf(instant, 'UTC');
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${year}-${pad(month)}-${pad(day)} ${clockText(instant, 'UTC')} UTC`;
}
