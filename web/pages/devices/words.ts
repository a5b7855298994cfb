/** The words of this page in the language in force; they come with its chunk. */
import { devicesEn } from '../../i18n/en/devices.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: devicesEn,
  es: async () => (await import('../../i18n/es/devices.ts')).devicesEs,
});
