/** The words in force. A view that reads `words.value` follows the language. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { en, type Words } from './en.ts';
import { languageChoice } from '../prefs.ts';

/** The language of the person's profile, once it is known. */
export const profileLanguage = signal('');

/** Tests of words run without a browser. */
const browserLanguage = typeof navigator === 'undefined' ? 'en' : navigator.language;
const isSpanish = (tag: string): boolean => /^es\b/iu.test(tag);

export const language = computed((): 'en' | 'es' => {
  if (languageChoice.value !== 'auto') return languageChoice.value;
  // Every profile begins with en, so that it says nothing of what the person reads; the browser does.
  const chosen = profileLanguage.value;
  return isSpanish(chosen === '' || chosen === 'en' ? browserLanguage : chosen) ? 'es' : 'en';
});

const pending = new Set<Promise<void>>();

/** Code that has just been fetched, once its words are there too, or cannot be had. */
export async function withWords<T>(code: T | Promise<T>): Promise<T> {
  const found = await code;
  while (pending.size > 0) await Promise.all(pending);
  return found;
}

/**
 * The words of one page; those in Spanish have the type of those in English, so a missing one does not compile. They are fetched by who
 * reads Spanish, and what is shown until they are there is English: what comes by `withWords` never shows it.
 */
export function inLanguage<T>({ en: english, es: load }: { en: T; es: () => Promise<NoInfer<T>> }): ReadonlySignal<T> {
  const spanish = signal<T | undefined>(undefined);
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    const coming = load().then(
      (found) => {
        spanish.value = found;
        pending.delete(coming);
      },
      () => {
        isAsked = false;
        pending.delete(coming);
      },
    );
    pending.add(coming);
  };
  if (language.peek() === 'es') ask();
  return computed(() => {
    if (language.value === 'en') return english;
    ask();
    return spanish.value ?? english;
  });
}

export const words = inLanguage<Words>({ en, es: async () => (await import('./es.ts')).es });
