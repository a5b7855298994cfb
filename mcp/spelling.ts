/** Slips of the keys in a query, repaired by the words that the search knows. */
import { editDistance } from '../toolkit/catalogue.ts';
import type { Tool } from '../toolkit/tool.ts';
import { requestsFor } from './requests.ts';
import { spokenWords } from './likeness.ts';
import { isKnown, KNOWN_WORDS, stem } from './vocabulary.ts';

/** Shorter words have too many neighbours: a name would become a word. */
const LEAST_LETTERS = 4;
const LEAST_LETTERS_OF_REQUESTS = 6;
const LONG = 8;

/** `indexed` are words of the index, stemmed. */
export function createSpeller(tools: readonly Tool[], indexed: ReadonlySet<string>): (query: string) => string {
  const requested = new Set(tools.flatMap((tool) => requestsFor(tool.name).flatMap(spokenWords)));
  const stems = new Set([...indexed, ...[...requested].map(stem)]);
  const candidates = byFirstLetter([
    ...KNOWN_WORDS.filter((word) => word.length >= LEAST_LETTERS),
    ...[...requested].filter((word) => word.length >= LEAST_LETTERS_OF_REQUESTS),
  ]);
  const spelt = (word: string): string => {
    const plain = word.toLowerCase();
    const isFine = plain.length < LEAST_LETTERS || isKnown(plain) || requested.has(plain) || stems.has(stem(plain));
    return isFine ? word : (slipOf(plain, candidates.get(plain[0] ?? '') ?? []) ?? word);
  };
  return (query) => query.replace(/(?<![\p{L}\p{N}_])\p{L}+(?![\p{L}\p{N}_])/gu, spelt);
}

function byFirstLetter(words: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) groups.set(word[0] ?? '', [...(groups.get(word[0] ?? '') ?? []), word]);
  return groups;
}

/** The first of the words that differs by one letter, two in long words; a slip seldom hits the first letter. */
function slipOf(word: string, words: readonly string[]): string | undefined {
  const bound = word.length >= LONG ? 2 : 1;
  return words.find((known) => Math.abs(known.length - word.length) <= bound && editDistance(known, word) <= bound);
}
