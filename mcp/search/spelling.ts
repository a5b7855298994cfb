/** Repairs typing slips in a query with the words that the search knows. */
import { editDistance } from '../../toolkit/catalogue.ts';
import type { ExampleClass } from './example-classes.ts';
import { spokenWords } from './query-classifier.ts';
import { isKnown, KNOWN_WORDS, stem } from './synonyms.ts';

/** Shorter words have too many neighbours, so that a name would turn into a word. */
const MIN_LETTERS = 4;
const MIN_LETTERS_OF_REQUESTS = 6;
const LONG = 8;

export interface Speller {
  /** Answers the query with its slips repaired. */
  spell(query: string): string;
  /** Whether the search knows a word in small letters. */
  knows(word: string): boolean;
}

/** `indexed` has the stemmed words of the index. */
export function createSpeller(classes: readonly ExampleClass[], indexed: ReadonlySet<string>): Speller {
  const wordsIn = (kind: readonly ExampleClass[]): Set<string> =>
    new Set(kind.flatMap(({ requests }) => requests.flatMap(spokenWords)));
  const requested = wordsIn(classes.filter(({ topic }) => topic === undefined));
  // A word of an absent topic is no slip of a known word.
  const elsewhere = new Set([...wordsIn(classes.filter(({ topic }) => topic !== undefined))].map(stem));
  const stems = new Set([...indexed, ...[...requested].map(stem)]);
  const candidates = byFirstLetter([
    ...KNOWN_WORDS.filter((word) => word.length >= MIN_LETTERS),
    ...[...requested].filter((word) => word.length >= MIN_LETTERS_OF_REQUESTS),
  ]);
  const knows = (word: string): boolean =>
    isKnown(word) || requested.has(word) || stems.has(stem(word)) || elsewhere.has(stem(word));
  const repair = (word: string): string => {
    const plain = word.toLowerCase();
    return plain.length < MIN_LETTERS || knows(plain)
      ? word
      : (slipOf(plain, candidates.get(plain[0] ?? '') ?? []) ?? word);
  };
  return { spell: (query) => query.replace(/(?<![\p{L}\p{N}_])\p{L}+(?![\p{L}\p{N}_])/gu, repair), knows };
}

function byFirstLetter(words: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) groups.set(word[0] ?? '', [...(groups.get(word[0] ?? '') ?? []), word]);
  return groups;
}

/** Finds the first known word that differs by one letter, or by two in long words. A slip seldom hits the first letter. */
function slipOf(word: string, words: readonly string[]): string | undefined {
  const bound = word.length >= LONG ? 2 : 1;
  return words.find((known) => Math.abs(known.length - word.length) <= bound && editDistance(known, word) <= bound);
}
