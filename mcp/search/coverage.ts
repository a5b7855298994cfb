/** How much of a wish a tool explains: the share of its content words that the tool's own words have, or mean. */
import type { Tool } from '../../toolkit/tool.ts';
import { traitsOf } from './query-classifier.ts';
import { requestsFor } from './example-queries.ts';
import { ABSENT_TOPICS } from './queries/absent.ts';
import { apart, isSmall, meaningsOf } from './synonyms.ts';

export interface Coverage {
  /**
   * The share of all words that a tool does not explain, a word that nothing here knows among them: it tells of something else. One word
   * more is counted as explained (Laplace), for one of two says less than two of four.
   */
  unexplained(query: string, tool: Tool): number;
  /**
   * The share that it explains of the words that something here knows: another may be somebody's name for a thing, and speaks against no
   * tool. 1 where there is none.
   */
  ofKnown(query: string, tool: Tool): number;
}

interface Known {
  words: ReadonlySet<string>;
  meanings: ReadonlySet<string>;
}

export function createCoverage(tools: readonly Tool[]): Coverage {
  const known = new Map(tools.map((tool) => [tool.name, knownTo(tool)]));
  const anywhere = new Set([
    ...[...known.values()].flatMap(({ words }) => [...words]),
    ...ABSENT_TOPICS.flatMap(({ requests }) => requests.flatMap(contentOf)),
  ]);
  const explainedBy = ({ name }: Tool, content: readonly string[]): number => {
    const { words, meanings } = known.get(name) as Known;
    const means = (word: string): boolean => meaningsOf(word).some((meaning) => meanings.has(`=${meaning}`));
    return content.filter((word) => words.has(word) || means(word)).length;
  };
  return {
    unexplained(query, tool) {
      const content = contentOf(query);
      return (content.length - explainedBy(tool, content)) / (content.length + 1);
    },
    ofKnown(query, tool) {
      const content = contentOf(query).filter((word) => anywhere.has(word) || meaningsOf(word).length > 0);
      return content.length === 0 ? 1 : explainedBy(tool, content) / content.length;
    },
  };
}

function knownTo({ name, aliases, summary, description }: Tool): Known {
  const spoken = [...requestsFor(name), ...aliases, summary, apart(name)];
  return {
    words: new Set([...spoken, description].flatMap(contentOf)),
    // A description names what else there is, too: its words count, what they could mean does not.
    meanings: new Set(spoken.flatMap((text) => traitsOf(text).meanings)),
  };
}

/** The words of a text that say what it is about, stemmed; no numbers, days or hours. */
export function contentOf(text: string): string[] {
  return traitsOf(text).words.filter((word) => !isSmall(word) && !word.startsWith('#'));
}
