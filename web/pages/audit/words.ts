/** The words of this page in the language in force; they come with its chunk. */
import { auditEn } from '../../i18n/en/audit.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: auditEn, es: async () => (await import('../../i18n/es/audit.ts')).auditEs });
