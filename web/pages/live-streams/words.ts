/** The words of this page in the language in force; they come with its chunk. */
import { liveStreamsEn } from '../../i18n/en/live-streams.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: liveStreamsEn,
  es: async () => (await import('../../i18n/es/live-streams.ts')).liveStreamsEs,
});
