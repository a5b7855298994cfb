/** An event in words of the page, in place of those of the server. */
import { readable } from './readable.ts';
import { inLanguage } from './words.ts';

const kinds = inLanguage<Readonly<Record<string, string>>>({
  en: {},
  es: async () => (await import('./help/events-es.ts')).eventsEs,
});

/** A kind of a newer server has no words here yet. */
export function eventText(kind: string): string {
  return kinds.value[kind] ?? kinds.value['other'] ?? '';
}

/** The kind itself, as a rule names it. */
export function kindText(kind: string): string {
  return kinds.value[kind]?.replace(/\.$/u, '') ?? readable(kind);
}
