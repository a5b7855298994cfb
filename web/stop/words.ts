/** The words of the effect of a stop in the language in force. */
import { stopEn } from '../i18n/en/stop.ts';
import { inLanguage } from '../i18n/words.ts';

export const words = inLanguage({ en: stopEn, es: async () => (await import('../i18n/es/stop.ts')).stopEs });
