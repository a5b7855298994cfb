/** The words of this page in the language in force; they come with its chunk. */
import { destinationsEn } from '../../i18n/en/destinations.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: destinationsEn,
  es: async () => (await import('../../i18n/es/destinations.ts')).destinationsEs,
});
