/** The words of Sources in the language in force. */
import { sourcesEn } from '../../i18n/en/sources.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: sourcesEn,
  es: async () => (await import('../../i18n/es/sources.ts')).sourcesEs,
});
