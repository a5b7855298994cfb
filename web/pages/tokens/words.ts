/** The words of this page in the language in force; they come with its chunk. */
import { tokensEn } from '../../i18n/en/tokens.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: tokensEn, es: async () => (await import('../../i18n/es/tokens.ts')).tokensEs });
