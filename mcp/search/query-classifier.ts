/**
 * Measures the likeness of a query to the example queries of each tool. Beside its own examples a tool has those of its tag and those of
 * its deed: the classifier learns from other resources that `… moved, fix it` is a change, and this holds for every resource.
 */
import { isList, type Tool } from '../../toolkit/tool.ts';
import { createBayes } from './classifier.ts';
import type { ExampleClass } from './example-classes.ts';
import { isVerb, meaningsOf, stem, withFileKinds, wordsOf } from './synonyms.ts';

/** These numbers were found by cross-validation over the examples. The ranking changes little within a half up or down. */
const SMOOTHING = { tool: 0.1, tag: 0.3, deed: 0.3 };
const WEIGHT = { tool: 1.5, example: 4, tag: 0.6, deed: 0.6 };

/** The classifier learns only that a word is a day, an hour or a number, not which. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/u, '#day'],
  [/^(?:january|february|march|april|june|july|august|september|october|november|december)$/u, '#month'],
  [/^\d{1,2}:\d\d:\d\d$/u, '#timecode'],
  [/^(?:\d{1,2}[:.]\d\d|\d{1,2}(?:am|pm|h))$/u, '#hour'],
  [/^\d+(?:st|nd|rd|th)$/u, '#date'],
  [/^(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$/u, '#number'],
];

interface Traits {
  /** Canonical words of the vocabulary, each with a mark that keeps it apart from the words of the text. */
  meanings: string[];
  words: string[];
  pairs: string[];
}

/** Answers the likeness of each query to each tool, 0 to 4 and as much again for the most similar example. */
export function createLikeness(
  tools: readonly Tool[],
  classes: readonly ExampleClass[],
  nearest: (query: string) => ReadonlyMap<string, number>,
): (query: string) => (tool: Tool) => number {
  const byClass = createBayes(SMOOTHING.tool);
  const byTag = createBayes(SMOOTHING.tag);
  const byDeed = createBayes(SMOOTHING.deed);
  const deeds = new Map(tools.map((tool) => [tool, deedOf(tool)]));
  const classesOf = new Map<string, string[]>(tools.map(({ name }) => [name, []]));
  for (const { name, tools: owners, requests } of classes) {
    for (const owner of owners) classesOf.get(owner.name)?.push(name);
    const [first] = owners;
    if (first === undefined) continue;
    for (const request of requests) {
      const { meanings, words, pairs } = traitsOf(request);
      byClass.learn(name, [...meanings, ...words, ...pairs]);
      byTag.learn(first.tag, [...meanings, ...words]);
      // Several tools share a group of fields, and their deeds differ.
      if (new Set(owners.map((owner) => deeds.get(owner))).size === 1)
        byDeed.learn(deeds.get(first) ?? '', [...words, ...pairs]);
    }
  }
  return (query) => {
    const { meanings, words, pairs } = traitsOf(query);
    const cosines = nearest(query);
    const byName = byClass.likeness([...meanings, ...words, ...pairs]);
    const tag = byTag.likeness([...meanings, ...words]);
    const deed = byDeed.likeness([...words, ...pairs]);
    const best = (values: ReadonlyMap<string, number>, { name }: Tool): number =>
      Math.max(0, ...(classesOf.get(name) ?? []).map((own) => values.get(own) ?? 0));
    return (candidate) =>
      WEIGHT.tool * best(byName, candidate) +
      WEIGHT.example * best(cosines, candidate) +
      WEIGHT.tag * (tag.get(candidate.tag) ?? 0) +
      WEIGHT.deed * (deed.get(deeds.get(candidate) ?? '') ?? 0);
  };
}

/** The deed of a tool, whatever its resource. A tool that controls a broadcast is a deed of its own. */
function deedOf(tool: Tool): string {
  const [verb] = wordsOf(tool.name).filter(isVerb);
  if (tool.effect !== 'read' || verb === 'validate') return verb ?? tool.name;
  return isList(tool) ? 'list' : 'show';
}

export function traitsOf(text: string): Traits {
  const spoken = spokenWords(text);
  const words = spoken.map((word) => KINDS.find(([pattern]) => pattern.test(word))?.[1] ?? stem(word));
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  const meanings = spoken.flatMap(meaningsOf).map((meaning) => `=${meaning}`);
  return { meanings: [...new Set(meanings)], words: [...new Set(words)], pairs: [...new Set(pairs)] };
}

/** Small words count too: `again`, `who` and `not` say more about a wish than many nouns. */
export function spokenWords(text: string): string[] {
  return withFileKinds(text)
    .toLowerCase()
    .replace(/[’‘]/gu, "'")
    .replace(/n't\b/gu, ' not')
    .replace(/'(?:s|re|m|ve|ll|d)\b/gu, ' ')
    .split(/[^\p{L}\p{N}:.]+|[:.]+(?=\s|$)/u)
    .filter((word) => word !== '');
}
