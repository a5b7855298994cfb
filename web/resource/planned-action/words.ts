/** The words of planned actions in the language in force. */
import { plannedActionsEn } from '../../i18n/en/forms.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({
  en: plannedActionsEn,
  es: async () => (await import('../../i18n/es/forms.ts')).plannedActionsEs,
});
