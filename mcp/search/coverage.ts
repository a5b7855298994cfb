/** Measures the share of a query's content words that a tool explains: its own words contain them or mean them. */
import type { Tool } from '../../toolkit/tool.ts';
import { traitsOf } from './query-classifier.ts';
import type { ExampleClass } from './example-classes.ts';
import { isSmall, meaningsOf, splitName } from './synonyms.ts';

export interface Coverage {
  /**
   * The share of all words that a tool does not explain. An unknown word counts too, because it speaks of something else. One more word is
   * counted as explained (Laplace), because one of two says less than two of four.
   */
  unexplained(query: string, tool: Tool): number;
  /**
   * The share of the known words that a tool explains. An unknown word may be the name of a thing, and speaks against no tool. The share is
   * 1 where no word is known.
   */
  ofKnown(query: string, tool: Tool): number;
}

interface Vocabulary {
  words: ReadonlySet<string>;
  meanings: ReadonlySet<string>;
}

export function createCoverage(tools: readonly Tool[], classes: readonly ExampleClass[]): Coverage {
  const known = new Map(tools.map((tool) => [tool.name, knownTo(tool, classes)]));
  const anywhere = new Set([
    ...[...known.values()].flatMap(({ words }) => [...words]),
    ...classes.flatMap(({ requests }) => requests.flatMap(contentOf)),
  ]);
  const explainedBy = ({ name }: Tool, content: readonly string[]): number => {
    const { words, meanings } = known.get(name) as Vocabulary;
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

function knownTo(tool: Tool, classes: readonly ExampleClass[]): Vocabulary {
  const { name, summary, description } = tool;
  const requests = classes.filter(({ tools }) => tools.includes(tool)).flatMap((own) => own.requests);
  const texts = [...requests, summary, splitName(name)];
  return {
    words: new Set([...texts, description].flatMap(contentOf)),
    // A description also names other tools, so its words count and their meanings do not.
    meanings: new Set(texts.flatMap((text) => traitsOf(text).meanings)),
  };
}

/** The stemmed content words of a text, without numbers, days and hours. */
export function contentOf(text: string): string[] {
  return traitsOf(text).words.filter((word) => !isSmall(word) && !word.startsWith('#'));
}
