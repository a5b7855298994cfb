/** The words of this page in the language in force; they come with its chunk. */
import { encodingsEn } from '../../i18n/en/encodings.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: encodingsEn,
  es: async () => (await import('../../i18n/es/encodings.ts')).encodingsEs,
});
