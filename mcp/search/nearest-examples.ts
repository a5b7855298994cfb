/** Measures how like a query is to the most similar example of each class: the cosine of their weighted words and pairs of words. */
import type { ExampleClass } from './example-classes.ts';
import { traitsOf } from './query-classifier.ts';

/** A pair repeats the words that it is made of. */
const PAIR_WEIGHT = 0.6;

interface Posting {
  example: number;
  weight: number;
}

/** Answers the cosine of each class that shares a word with the query, 0 to 1. */
export type NearestExamples = (query: string) => ReadonlyMap<string, number>;

export function createNearestExamples(classes: readonly ExampleClass[]): NearestExamples {
  const examples = classes.flatMap(({ name, requests }) => requests.map((text) => ({ name, traits: termsOf(text) })));
  const counts = new Map<string, number>();
  for (const { traits } of examples) for (const term of traits) counts.set(term, (counts.get(term) ?? 0) + 1);
  const postings = new Map<string, Posting[]>();
  const weigh = (terms: ReadonlySet<string>): (readonly [string, number])[] => {
    const weights = [...terms].map((term) => {
      const rarity = Math.log((examples.length + 1) / ((counts.get(term) ?? 0) + 1));
      return [term, term.includes(' ') ? PAIR_WEIGHT * rarity : rarity] as const;
    });
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    return weights.map(([term, weight]) => [term, weight / length]);
  };
  for (const [example, { traits }] of examples.entries())
    for (const [term, weight] of weigh(traits)) {
      const own = postings.get(term);
      if (own === undefined) postings.set(term, [{ example, weight }]);
      else own.push({ example, weight });
    }
  const compare: NearestExamples = (query) => {
    const cosines = new Map<number, number>();
    for (const [term, own] of weigh(termsOf(query)))
      for (const { example, weight } of postings.get(term) ?? [])
        cosines.set(example, (cosines.get(example) ?? 0) + own * weight);
    const best = new Map<string, number>();
    for (const [example, cosine] of cosines) {
      const name = examples[example]?.name ?? '';
      if (cosine > (best.get(name) ?? 0)) best.set(name, cosine);
    }
    return best;
  };
  /** One answer asks for the ranking, for an absent topic and for a removal. */
  let last: { query: string; cosines: ReadonlyMap<string, number> } | undefined;
  return (query) => {
    if (last?.query !== query) last = { query, cosines: compare(query) };
    return last.cosines;
  };
}

function termsOf(text: string): ReadonlySet<string> {
  const { words, pairs } = traitsOf(text);
  return new Set([...words, ...pairs]);
}
