/** The words of this page in the language in force; they come with its chunk. */
import { systemEn } from '../../i18n/en/system.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: systemEn, es: async () => (await import('../../i18n/es/system.ts')).systemEs });
