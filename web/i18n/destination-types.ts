/** The types of Destinations in words for people. */
import { DESTINATION_LABELS } from '../gen/labels/en.ts';
import { inLanguage } from './words.ts';

const labels = inLanguage<Readonly<Record<string, string>>>({
  en: DESTINATION_LABELS,
  es: async () => (await import('../gen/labels/es.ts')).DESTINATION_LABELS,
});

/** A type of a newer server has none here yet. */
export function destinationType(type: string): string {
  return labels.value[type] ?? type;
}
