/** The words of planned actions in the language in force. */
import { plannedActionsEn } from '../../i18n/en/planned-actions.ts';
import { plannedActionsEs } from '../../i18n/es/planned-actions.ts';
import { inLanguage } from '../../i18n/words.ts';

export const words = inLanguage({ en: plannedActionsEn, es: plannedActionsEs });
