/** The words of this page in the language in force; they come with its chunk. */
import { recordingsEn } from '../../i18n/en/recordings.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: recordingsEn,
  es: async () => (await import('../../i18n/es/recordings.ts')).recordingsEs,
});
