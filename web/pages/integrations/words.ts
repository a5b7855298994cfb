/** The words of this page in the language in force; they come with its chunk. */
import { integrationsEn } from '../../i18n/en/integrations.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: integrationsEn,
  es: async () => (await import('../../i18n/es/integrations.ts')).integrationsEs,
});
