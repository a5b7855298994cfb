/** Warnings of the server by their code, in words of the page; in English they are empty, because the server says them. */
import { inLanguage } from './words.ts';

type Texts = Readonly<Record<string, string>>;
const NONE: Texts = {};

const warnings = inLanguage({ en: NONE, es: async () => (await import('./help/warnings-es.ts')).warningsEs });
const remedies = inLanguage({ en: NONE, es: async () => (await import('./help/warnings-es.ts')).alarmRemediesEs });

export function warningText(code: string): string | undefined {
  return warnings.value[code];
}

/** The remedy against an alarm, by its check. */
export function alarmRemedy(check: string): string | undefined {
  return remedies.value[check];
}
