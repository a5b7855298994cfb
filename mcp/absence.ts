/**
 * Whether a wish is likest to what there is no operation for: naive Bayes over the content words of what people ask each tool, and of
 * what they ask for that does not exist. Meanings of the vocabulary are left out, for they are of tools alone.
 */
import type { Tool } from '../toolkit/tool.ts';
import { createBayes } from './bayes.ts';
import { traitsOf } from './likeness.ts';
import { requestsFor } from './requests.ts';
import { ABSENT_TOPICS, type AbsentTopic } from './requests/absent.ts';
import { isSmall } from './vocabulary.ts';

/**
 * Found on phrases-absent-tuning.ts and on 564 phrases of things that there are: of these it takes 8 for absent, of those it knows 41 of 42.
 */
const SMOOTHING = 0.3;
/** Less is enough where a word is said that no tool knows and an absent feature does. */
const LEAST_LEAD = { unmarked: -0.5, marked: -4 };
/** What fits a tool well is less easily taken for something else: by so much for each point of its score beside a middling one. */
const SCORE_WEIGHT = 0.5;
const MIDDLING_SCORE = 5;

/** `score` is that of the best hit. */
export type AbsentTopicOf = (query: string, score: number) => AbsentTopic | undefined;

export function createAbsence(tools: readonly Tool[]): AbsentTopicOf {
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

  return (query, score) => {
    const content = contentOf(query);
    const likeness = bayes.likeness(content);
    const likeliest = (names: readonly string[]): number =>
      Math.max(0, ...names.map((name) => likeness.get(name) ?? 0));
    const absent = likeliest(ABSENT_TOPICS.map(({ about }) => about));
    if (absent === 0) return undefined;
    const lead = Math.log(absent / likeliest(tools.map(({ name }) => name)));
    const isMarked = content.some((word) => ofAbsent.has(word) && !ofTools.has(word));
    const least = isMarked ? LEAST_LEAD.marked : LEAST_LEAD.unmarked;
    if (lead + SCORE_WEIGHT * (MIDDLING_SCORE - score) <= least) return undefined;
    return ABSENT_TOPICS.find(({ about }) => likeness.get(about) === absent);
  };
}

function contentOf(text: string): string[] {
  return traitsOf(text).words.filter((word) => !isSmall(word) && !word.startsWith('#'));
}
