/** The words of this page in the language in force; they come with its chunk. */
import { storageEn } from '../../i18n/en/storage.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: storageEn,
  es: async () => (await import('../../i18n/es/storage.ts')).storageEs,
});
