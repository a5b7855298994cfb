/** The words of this page in the language in force; they come with its chunk. */
import { usersEn } from '../../i18n/en/users.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: usersEn, es: async () => (await import('../../i18n/es/users.ts')).usersEs });
