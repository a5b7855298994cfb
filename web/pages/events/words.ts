/** The words of this page in the language in force; they come with its chunk. */
import { eventsEn } from '../../i18n/en/on-air/events.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: eventsEn,
  es: async () => (await import('../../i18n/es/on-air/events.ts')).eventsEs,
});
