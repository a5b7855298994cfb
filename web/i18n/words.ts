/** The words in force. A view that reads `words.value` follows the language. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { en, type Words } from './en.ts';
import { es } from './es.ts';
import { languageChoice } from '../prefs.ts';

/** The language of the person's profile, once it is known. */
export const profileLanguage = signal('');

export const language = computed((): 'en' | 'es' => {
  if (languageChoice.value !== 'auto') return languageChoice.value;
  const wanted = profileLanguage.value || 'en';
  return wanted.toLowerCase().startsWith('es') ? 'es' : 'en';
});

export const words = computed((): Words => (language.value === 'es' ? es : en));

/** The words of one page; those in Spanish have the type of those in English, so a missing one does not compile. */
export function inLanguage<T>(texts: { en: T; es: NoInfer<T> }): ReadonlySignal<T> {
  return computed(() => texts[language.value]);
}
