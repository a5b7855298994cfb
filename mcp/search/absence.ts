/**
 * Whether a wish is likest to what there is no operation for: naive Bayes over the content words of what people ask each tool, and of
 * what they ask for that does not exist. Meanings of the vocabulary are left out, for they are of tools alone.
 */
import type { Tool } from '../../toolkit/tool.ts';
import { createBayes } from './classifier.ts';
import { contentOf, type Coverage } from './coverage.ts';
import { requestsFor } from './example-queries.ts';
import { ABSENT_TOPICS, type AbsentTopic } from './queries/absent.ts';

const SMOOTHING = 0.3;
/**
 * How much nearer a wish is to an absent feature than to any tool, with what speaks for and against it beside; where the sum is above the
 * least, there is no such thing. By logistic regression over phrases of both kinds (docs/decisions/search.md), rounded.
 */
const WEIGHT = { marked: 1.25, score: 0.45, unexplained: 1.4 };
const MIN_SCORE = -0.25;
/** Of a good hit. */
const MIDDLING_SCORE = 5;

/** `best` is the best hit of all tools. */
export type AbsentTopicOf = (query: string, best: { tool: Tool; score: number }) => AbsentTopic | undefined;

export function createAbsence(tools: readonly Tool[], coverage: Coverage): AbsentTopicOf {
  const bayes = createBayes(SMOOTHING);
  const ofTools = new Set(tools.flatMap(({ summary, description }) => contentOf(`${summary} ${description}`)));
  for (const tool of tools)
    for (const request of [...requestsFor(tool.name), ...tool.aliases]) {
      const content = contentOf(request);
      bayes.learn(tool.name, content);
      for (const word of content) ofTools.add(word);
    }
  for (const { about, requests } of ABSENT_TOPICS)
    for (const request of requests) bayes.learn(about, contentOf(request));

  const ofAbsent = new Set(ABSENT_TOPICS.flatMap(({ requests }) => requests.flatMap(contentOf)));

  return (query, { tool, score }) => {
    const content = contentOf(query);
    const likeness = bayes.likeness(content);
    const likeliest = (names: readonly string[]): number =>
      Math.max(0, ...names.map((name) => likeness.get(name) ?? 0));
    const absent = likeliest(ABSENT_TOPICS.map(({ about }) => about));
    if (absent === 0) return undefined;
    const lead = Math.log(absent / likeliest(tools.map(({ name }) => name)));
    // A word is said that no tool knows and an absent feature does.
    const isMarked = content.some((word) => ofAbsent.has(word) && !ofTools.has(word));
    const evidence =
      lead +
      (isMarked ? WEIGHT.marked : 0) +
      WEIGHT.score * (MIDDLING_SCORE - score) +
      WEIGHT.unexplained * coverage.unexplained(query, tool);
    if (evidence <= MIN_SCORE) return undefined;
    return ABSENT_TOPICS.find(({ about }) => likeness.get(about) === absent);
  };
}
