/** A stream's state in words, as the description of its tile begins. */
import { causeText } from '../../../i18n/cause-text.ts';
import { words } from '../../../i18n/words.ts';
import type { Health, Trouble } from '../../../live/health.ts';
import { shownZone } from '../../../shown-zone.ts';
import { clockText } from '../../../zone.ts';

/** `Warning, on air since 20:13:40: YouTube backup path is retrying` */
export function describe({ state, since, troubles }: Health): string {
  const w = words.value;
  const when = since === undefined ? '' : ` ${w.since(clockText(since, shownZone.value))}`;
  const why = troubles[0];
  return why === undefined ? `${w.states[state]}${when}` : `${w.states[state]}${when}: ${whyText(why)}`;
}

function whyText({ about, figures, reason, cause }: Trouble): string {
  return [about, figures, words.value.reasons[reason].what, cause !== undefined && `(${causeText(cause)})`]
    .filter(Boolean)
    .join(' ');
}
