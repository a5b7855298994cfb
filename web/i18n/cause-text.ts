/** Causes that a Device names: known sentences are told in the language of the page, what another system says stays as it is. */
import { inLanguage } from './words.ts';

const causes = inLanguage<Readonly<Record<string, string>>>({
  en: {},
  es: async () => (await import('./help/causes-es.ts')).causesEs,
});

export function causeText(cause: string): string {
  const known = Object.keys(causes.value).find((text) => cause.includes(text));
  return known === undefined ? cause : causes.value[known]!;
}
