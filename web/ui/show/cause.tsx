/** Why something fails, as a Device or another system has said it. A known cause is told in the language of the page, others can be opened. */
import { causeText } from '../../i18n/cause-text.ts';
import { language } from '../../i18n/words.ts';
import { LongText } from './long-text.tsx';
import { ServerText } from './server-text.tsx';

/** `folds`: where there is little room, of a long one the beginning is shown. */
export function Cause({ text, folds = false }: { text: string; folds?: boolean }) {
  if (language.value === 'en') return folds ? <LongText text={text} /> : <>{text}</>;
  const known = causeText(text);
  return known === undefined ? <ServerText text={text} /> : <>{known}</>;
}
