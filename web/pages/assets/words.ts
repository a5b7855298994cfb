/** The words of this page in the language in force; they come with its chunk. */
import { assetsEn } from '../../i18n/en/assets.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: assetsEn, es: async () => (await import('../../i18n/es/assets.ts')).assetsEs });
