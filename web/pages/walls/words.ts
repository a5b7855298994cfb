/** The words of this page in the language in force; they come with its chunk. */
import { wallsEn } from '../../i18n/en/on-air/walls.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: wallsEn,
  es: async () => (await import('../../i18n/es/on-air/walls.ts')).wallsEs,
});
