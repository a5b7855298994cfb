/** Names the fields of forms. */
import { fieldsEn } from './en/fields.ts';
import { inLanguage } from './words.ts';

const labels = inLanguage<Readonly<Record<string, string>>>({
  en: fieldsEn,
  es: async () => (await import('./es/fields.ts')).fieldsEs,
});

/** `latency_ms` is `Latency ms`, `channelId` is `Channel id`, where nobody has written a better name. */
function readable(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/gu, (_pair, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function fieldLabel(path: string): string {
  const name = path.split('.').at(-1) ?? path;
  return labels.value[path] ?? labels.value[name] ?? readable(name);
}
