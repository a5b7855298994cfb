/** The words of this page in the language in force; they come with its chunk. */
import { schedulerEn } from '../../i18n/en/scheduler.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: schedulerEn,
  es: async () => (await import('../../i18n/es/scheduler.ts')).schedulerEs,
});
