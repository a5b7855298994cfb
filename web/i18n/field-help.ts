/** The text below a field of a form is in words for people, while the API's is for programs. */
import { destinationsHelp } from './help/destinations.ts';
import { lightHelp } from './help/light.ts';
import { encodingsHelp } from './help/encodings.ts';
import { liveHelp } from './help/live.ts';
import { plansHelp } from './help/plans.ts';
import { mailsHelp } from './help/mails.ts';
import { servicesHelp } from './help/services.ts';
import { sourcesHelp } from './help/sources.ts';
import type { HelpTexts } from './help/texts.ts';
import { wallsHelp } from './help/walls.ts';
import { language } from './words.ts';

export const HELP: HelpTexts = {
  ...sourcesHelp,
  ...lightHelp,
  ...encodingsHelp,
  ...destinationsHelp,
  ...liveHelp,
  ...plansHelp,
  ...mailsHelp,
  ...servicesHelp,
  ...wallsHelp,
};

export function fieldHelp(help: string): string {
  const [en = '', es = ''] = HELP[help] ?? [];
  return language.value === 'es' ? es : en;
}
