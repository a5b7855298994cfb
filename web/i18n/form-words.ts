/** The words of forms come with the forms, not with the first load. */
import { formsEn } from './en/forms.ts';
import { formsEs } from './es/forms.ts';
import { inLanguage } from './words.ts';

export const formWords = inLanguage({ en: formsEn, es: formsEs });
