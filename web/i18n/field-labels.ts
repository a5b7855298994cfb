/** Names the fields of forms. */
import { fieldsEn } from './en/fields.ts';
import { readable } from './readable.ts';
import { inLanguage } from './words.ts';

const labels = inLanguage<Readonly<Record<string, string>>>({
  en: fieldsEn,
  es: async () => (await import('./es/fields.ts')).fieldsEs,
});

export function fieldLabel(path: string): string {
  const name = path.split('.').at(-1) ?? path;
  return labels.value[path] ?? labels.value[name] ?? readable(name);
}
