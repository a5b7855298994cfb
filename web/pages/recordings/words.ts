/** The words of this page in the language in force; they come with its chunk. */
import { recordingsEn } from '../../i18n/en/recordings.ts';
import { recordingsEs } from '../../i18n/es/recordings.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: recordingsEn, es: recordingsEs });
