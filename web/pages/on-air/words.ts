/** The words of this page in the language in force; they come with its chunk. */
import { onAirEn } from '../../i18n/en/on-air/board.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: onAirEn,
  es: async () => (await import('../../i18n/es/on-air/board.ts')).onAirEs,
});
