/** The words of the wizard in the language in force. */
import { wizardEn } from '../i18n/en/wizard.ts';
import { inLanguage } from '../i18n/words.ts';

export const words = inLanguage({ en: wizardEn, es: async () => (await import('../i18n/es/wizard.ts')).wizardEs });
