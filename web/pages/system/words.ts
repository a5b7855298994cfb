/** The words of this page in the language in force; they come with its chunk. */
import { systemEn } from '../../i18n/en/system.ts';
import { systemEs } from '../../i18n/es/system.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: systemEn, es: systemEs });
