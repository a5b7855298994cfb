/** An event in words of the page, in place of those of the server. */
import { inLanguage } from './words.ts';

const kinds = inLanguage<Readonly<Record<string, string>>>({
  en: {},
  es: async () => (await import('./help/events-es.ts')).eventsEs,
});

/** A kind of a newer server has no words here yet. */
export function eventText(kind: string): string {
  return kinds.value[kind] ?? kinds.value['other'] ?? '';
}
