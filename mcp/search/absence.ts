/**
 * Decides whether a query is likest to a topic that has no operation: naive Bayes over the content words of the example queries of each
 * tool and of each absent topic. Meanings of the vocabulary are left out, because they belong to tools alone.
 */
import type { Tool } from '../../toolkit/tool.ts';
import { createBayes } from './classifier.ts';
import { contentOf, type Coverage } from './coverage.ts';
import { requestsFor } from './example-queries.ts';
import { ABSENT_TOPICS, type AbsentTopic } from './queries/absent.ts';

const SMOOTHING = 0.3;
/**
 * The weights of the evidence that a query is nearer to an absent topic than to any tool. Above the minimum the topic is absent. They come
 * from a logistic regression over phrases of both kinds (docs/decisions/search.md), rounded.
 */
const WEIGHT = { marked: 1.25, score: 0.45, unexplained: 1.4 };
const MIN_SCORE = -0.25;
/** A good hit has about this score. */
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
    // The query has a word that an absent topic knows and no tool does.
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
