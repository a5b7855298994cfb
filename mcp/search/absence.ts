/**
 * Decides whether a query is likest to a topic that has no operation: naive Bayes over the content words of the example queries of each
 * tool and of each absent topic. Meanings of the vocabulary are left out, because they belong to tools alone.
 */
import type { Tool } from '../../toolkit/tool.ts';
import { createBayes } from './classifier.ts';
import { contentOf, type Coverage } from './coverage.ts';
import type { ExampleClass } from './example-classes.ts';
import type { NearestExamples } from './nearest-examples.ts';
import type { AbsentTopic } from './queries/absent-topic.ts';
import { traitsOf } from './query-classifier.ts';

/** One for the content words of a wish, one for all its words and pairs of words. */
const SMOOTHING = { content: 0.3, phrase: 0.1 };
/**
 * The weights of the evidence that a query is nearer to an absent topic than to any tool. They come from a logistic regression over phrases
 * of both kinds, in which those that nothing was learnt from count most (docs/decisions/search.md), rounded.
 */
const WEIGHT = {
  content: 1.1,
  phrase: 0.7,
  marked: 1.7,
  known: -0.65,
  score: -0.7,
  unexplained: 7,
  absentExample: 4.4,
  servedExample: -1.75,
};
/** The evidence above which a topic is absent. A served wish that is denied does more harm than an absent one that is not told. */
const MIN_EVIDENCE = -1.2;
/** Zero would have no logarithm. */
const NONE = Number.MIN_VALUE;
/** With fewer content words little is left of a wish. */
const MIN_CORE = 2;
/** The purpose of a wish, the owner of a thing, the person whom it is for. */
const OCCASION = [
  /\b(?:so (?:that )?(?:i|we|you|he|she|it|they|people|nobody|everybody|everyone|the)\b|in order to\b|because\b|to \p{L}+ (?:it|them)\b).*$/iu,
  /\b\p{L}+['’]s?(?= )/giu,
  /\bfor (?:the|our|my|his|her|their|an?) [^,;]*/giu,
];
/** More of one kind says no more. */
const MAX_LEAD = 5;
const MAX_KNOWN = 3;

/** `best` is the best hit of all tools; undefined where no word of the query is of any. */
export type AbsentTopicOf = (query: string, best: { tool: Tool; score: number } | undefined) => AbsentTopic | undefined;

export function createAbsence(
  tools: readonly Tool[],
  classes: readonly ExampleClass[],
  nearest: NearestExamples,
  coverage: Coverage,
): AbsentTopicOf {
  const byContent = createBayes(SMOOTHING.content);
  const byPhrase = createBayes(SMOOTHING.phrase);
  for (const { name, requests } of classes)
    for (const request of requests) {
      byContent.learn(name, contentOf(request));
      byPhrase.learn(name, phraseOf(request));
    }
  const absentClasses = classes.filter(({ topic }) => topic !== undefined);
  const servedClasses = classes.filter(({ topic }) => topic === undefined);
  const ofTools = new Set([
    ...tools.flatMap(({ summary, description }) => contentOf(`${summary} ${description}`)),
    ...servedClasses.flatMap(({ requests }) => requests.flatMap(contentOf)),
  ]);
  const ofAbsent = new Set(absentClasses.flatMap(({ requests }) => requests.flatMap(contentOf)));
  const topical = topicalWords(absentClasses);

  const evidenceOf = (query: string, hit: { tool: Tool; score: number } | undefined): number => {
    const content = contentOf(query);
    const cosines = nearest(query);
    const lead = (likeness: ReadonlyMap<string, number>): number => {
      const ratio = Math.log(bestOf(likeness, absentClasses)) - Math.log(bestOf(likeness, servedClasses));
      return Math.max(-MAX_LEAD, Math.min(MAX_LEAD, ratio));
    };
    const isMarked = content.some((word) => topical.has(word) && !ofTools.has(word));
    const known = content.filter((word) => ofTools.has(word) && !ofAbsent.has(word)).length;
    return (
      WEIGHT.content * lead(byContent.likeness(content)) +
      WEIGHT.phrase * lead(byPhrase.likeness(phraseOf(query))) +
      WEIGHT.marked * Number(isMarked) +
      WEIGHT.known * Math.min(MAX_KNOWN, known) +
      WEIGHT.score * (hit?.score ?? 0) +
      WEIGHT.unexplained * (hit === undefined ? 1 : coverage.unexplained(query, hit.tool)) +
      WEIGHT.absentExample * bestOf(cosines, absentClasses) +
      WEIGHT.servedExample * bestOf(cosines, servedClasses)
    );
  };
  return (query, hit) => {
    const cosines = nearest(query);
    const absent = bestOf(cosines, absentClasses);
    const core = withoutOccasion(query);
    const readings = contentOf(core).length >= MIN_CORE ? [query, core] : [query];
    if (absent === NONE || readings.some((reading) => evidenceOf(reading, hit) <= MIN_EVIDENCE)) return undefined;
    return absentClasses.find(({ name }) => cosines.get(name) === absent)?.topic;
  };
}

/** The wish without its occasion, in which any word may stand. */
function withoutOccasion(query: string): string {
  return OCCASION.reduce((text, pattern) => text.replace(pattern, ' '), query);
}

function bestOf(values: ReadonlyMap<string, number>, among: readonly ExampleClass[]): number {
  return Math.max(NONE, ...among.map(({ name }) => values.get(name) ?? 0));
}

/** The words that make a topic: those of several of its examples, and those that are an example alone. One example has others by chance. */
function topicalWords(topics: readonly ExampleClass[]): ReadonlySet<string> {
  return new Set(
    topics.flatMap(({ requests }) => {
      const contents = requests.map((request) => [...new Set(contentOf(request))]);
      const counts = new Map<string, number>();
      for (const word of contents.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
      const alone = new Set(contents.filter(({ length }) => length === 1).flat());
      return [...counts.keys()].filter((word) => alone.has(word) || (counts.get(word) ?? 0) > 1);
    }),
  );
}

function phraseOf(text: string): string[] {
  const { words, pairs } = traitsOf(text);
  return [...words, ...pairs];
}
