/** The words of this page in the language in force; they come with its chunk. */
import { assistantsEn } from '../../i18n/en/tokens.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: assistantsEn,
  es: async () => (await import('../../i18n/es/tokens.ts')).assistantsEs,
});
