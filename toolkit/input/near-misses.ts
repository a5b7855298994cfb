/** Finds the known word that is meant by a word which is nearly right. */
import { editDistance } from '../catalogue.ts';

/** A longer word is no slip of a known one, and its distance would take long. */
const MAX_LENGTH = 100;
/** Two errors in five letters are allowed, because the list is short and the word is only offered. */
const SHARE = 0.4;

/** The known word that has the same letters. */
export function sameLetters(written: string, known: readonly string[]): string | undefined {
  const own = lettersOf(written.slice(0, MAX_LENGTH));
  return own === '' ? undefined : known.find((word) => lettersOf(word) === own);
}

/** The known word that is meant: by its letters alone, as a part, or with few errors. Undefined when none or several fit. */
export function nearestWord(written: string, known: readonly string[]): string | undefined {
  const own = lettersOf(written.slice(0, MAX_LENGTH));
  if (own === '') return undefined;
  const words = known.map((word) => ({ word, letters: lettersOf(word) })).filter(({ letters }) => letters !== '');
  const same = words.filter(({ letters }) => letters === own);
  if (same.length > 0) return only(same);
  const parts = own.length < 2 ? [] : words.filter(({ letters }) => letters.includes(own) || own.includes(letters));
  if (parts.length === 1) return only(parts);
  const distances = words.map(({ word, letters }) => ({ word, distance: editDistance(own, letters) }));
  const least = Math.min(...distances.map(({ distance }) => distance));
  if (least > Math.floor(own.length * SHARE)) return undefined;
  return only(distances.filter(({ distance }) => distance === least));
}

/** The letters and digits of a word in small letters, without the marks between them. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/gu, '');
}

function only(matches: readonly { word: string }[]): string | undefined {
  return matches.length === 1 ? matches[0]?.word : undefined;
}
