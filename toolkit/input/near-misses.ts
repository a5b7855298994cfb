/** The word that was meant, where a word is nearly right. */
import { editDistance } from '../catalogue.ts';

/** A longer word is no slip of a short one, and its distance would take long. */
const MAX_LENGTH = 100;
/** Two errors in five letters: the list is short, and what is named is only offered. */
const SHARE = 0.4;

/** The one of `known` that has the same letters. */
export function sameLetters(given: string, known: readonly string[]): string | undefined {
  const said = lettersOf(given.slice(0, MAX_LENGTH));
  return said === '' ? undefined : known.find((word) => lettersOf(word) === said);
}

/** The one of `known` that `given` stands for: by its letters alone, as its beginning or part, or nearly so. Undefined when none or several. */
export function nearestWord(given: string, known: readonly string[]): string | undefined {
  const said = lettersOf(given.slice(0, MAX_LENGTH));
  if (said === '') return undefined;
  const words = known.map((word) => ({ word, letters: lettersOf(word) })).filter(({ letters }) => letters !== '');
  const same = words.filter(({ letters }) => letters === said);
  if (same.length > 0) return only(same);
  const parts = said.length < 2 ? [] : words.filter(({ letters }) => letters.includes(said) || said.includes(letters));
  if (parts.length === 1) return only(parts);
  const told = words.map(({ word, letters }) => ({ word, distance: editDistance(said, letters) }));
  const least = Math.min(...told.map(({ distance }) => distance));
  return least > Math.floor(said.length * SHARE) ? undefined : only(told.filter(({ distance }) => distance === least));
}

/** What is left of a word when neither case nor what stands between its letters counts. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/gu, '');
}

function only(found: readonly { word: string }[]): string | undefined {
  return found.length === 1 ? found[0]?.word : undefined;
}
