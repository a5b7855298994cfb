/** The words of forms come with the forms, not with the first load. */
import { formsEn } from './en/forms.ts';
import { inLanguage } from './words.ts';

export const formWords = inLanguage({ en: formsEn, es: async () => (await import('./es/forms.ts')).formsEs });
