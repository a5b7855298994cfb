/** Causes that a Device names: known sentences are told in the language of the page. */
import { inLanguage } from './words.ts';

const causes = inLanguage<Readonly<Record<string, string>>>({
  en: {},
  es: async () => (await import('./help/causes-es.ts')).causesEs,
});

/** Undefined for one that has no words here, such as what another system says. */
export function causeText(cause: string): string | undefined {
  const known = Object.keys(causes.value).find((text) => cause.includes(text));
  return known === undefined ? undefined : causes.value[known];
}
