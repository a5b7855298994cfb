/** A stream's state in words, as the description of its tile begins. */
import { aboutText } from '../../../i18n/about-text.ts';
import { causeText } from '../../../i18n/cause-text.ts';
import { language, words } from '../../../i18n/words.ts';
import type { Health, Trouble } from '../../../live/health.ts';
import { shownZone } from '../../../shown-zone.ts';
import { clockText } from '../../../zone.ts';

/** `Warning, on air since 18:00:00: YouTube backup path is retrying since 20:13:40` */
export function describe({ state, since, troubles }: Health): string {
  const why = troubles[0];
  const what = `${words.value.states[state]}${sinceText(since)}`;
  return why === undefined ? what : `${what}: ${whyText(why, since)}`;
}

/** A broadcast that has failed has one beginning with its trouble. */
function whyText(trouble: Trouble, entered: number | undefined): string {
  const { figures, reason, cause, since } = trouble;
  const what = `${words.value.reasons[reason].what}${since === entered ? '' : sinceText(since)}`;
  // One without words in the language of the page can be opened in Attention.
  const causeWords = cause === undefined || language.value === 'en' ? cause : causeText(cause);
  return [aboutText(trouble), figures, what, causeWords !== undefined && `(${causeWords})`].filter(Boolean).join(' ');
}

function sinceText(at: number | undefined): string {
  return at === undefined ? '' : ` ${words.value.since(clockText(at, shownZone.value))}`;
}
