/** The words of this page in the language in force; they come with its chunk. */
import { destinationsEn } from '../../i18n/en/destinations.ts';
import { destinationsEs } from '../../i18n/es/destinations.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: destinationsEn, es: destinationsEs });
