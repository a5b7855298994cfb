/**
 * The ranking of search_tools: BM25 over the words of each tool in the vocabulary of operators, and the likeness of the query to example
 * queries.
 */
import MiniSearch from 'minisearch';
import { nearestNames } from '../../toolkit/catalogue.ts';
import { lettersOf } from '../../toolkit/input/near-misses.ts';
import { isList, type Tool } from '../../toolkit/tool.ts';
import { createAbsence, type AbsentTopicOf } from './absence.ts';
import { createCoverage, type Coverage } from './coverage.ts';
import { exampleClassesOf } from './example-classes.ts';
import { isElse, saysRemoval, takesAway } from './harm.ts';
import { createNearestExamples, type NearestExamples } from './nearest-examples.ts';
import { createLikeness, spokenWords } from './query-classifier.ts';
import type { AbsentTopic } from './queries/absent-topic.ts';
import { fieldsOf } from './schema-fields.ts';
import { createSpeller, type Speller } from './spelling.ts';
import { isVerb, splitName, wordsOf } from './synonyms.ts';

export interface Hit {
  tool: Tool;
  score: number;
}

export interface ToolSearch {
  /** The hits among the `allowed` tools, best first. Empty when nothing fits at all. */
  find(query: string, limit: number, allowed: (tool: Tool) => boolean): Hit[];
  /** The names nearest to a query that finds nothing. */
  nearest(query: string, allowed: (tool: Tool) => boolean): Tool[];
  named(names: readonly string[]): Tool[];
  /** The topic of a query that no tool serves; undefined where a tool may serve it. */
  absent(query: string): AbsentTopic | undefined;
  /** Whether a query asks that something is deleted or ended. */
  wantsRemoval(query: string): boolean;
  /** Whether enough words of a query are known for its hits to mean anything. It is false for another language and for nonsense. */
  understands(query: string): boolean;
  /** The share of the query's known words that a tool explains, 0 to 1. */
  coverage(query: string, tool: Tool): number;
}

const FIELDS = ['name', 'aliases', 'summary', 'tag', 'description', 'inputs'];
/** These boosts were found by trials on our own phrases. The ranking changes little within a third up or down. */
const BOOST = { name: 3, aliases: 2.4, summary: 2, tag: 1, description: 0.6, inputs: 0.4 };
/** A verb narrows down the hits of the noun; by itself it says little. */
const VERB_WEIGHT = 0.3;
const VERB_FITS = 1.6;
const VERB_DIFFERS = 0.55;
/** The verbs weigh less beside the likeness, which has learnt deeds. */
const VERB_SHARE = 0.15;
const NAME_SHARE = 0.15;
/** A word in the plural. `is`, `status` and their like are none. */
const PLURAL = /\b(?!(?:does|this|hows|whats|lets|news|status|previous|always|yes)\b)[a-z]{2,}[a-rt-z]s\b/iu;
/** An exact name is above any sum of scores. */
export const EXACT_SCORE = 1000;
/** The weight of the best tool by words beside the likeness to example queries, which is at most 6.7 (query-classifier.ts). */
const WORDS_WEIGHT = 1.5;
/** None of 564 phrases of people has fewer known words than this: the names in them may be anything. */
const MIN_KNOWN = 0.5;
/** The cosine from which on the likest example tells what a query wants. */
const MIN_LIKE_REMOVAL = 0.4;

export function createToolSearch(tools: readonly Tool[]): ToolSearch {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  // The index is built at the first search, because many servers are never searched.
  let built: ToolIndex | undefined;
  /** One answer searches several times: for operations and for a workflow. */
  let last: { query: string; hits: Hit[] } | undefined;

  function find(query: string, limit: number, allowed: (tool: Tool) => boolean): Hit[] {
    built ??= buildIndex(tools);
    // All tools are ranked, so that a score means the same for every caller.
    if (last?.query !== query) last = { query, hits: rank(query, tools, built) };
    const exact = exactHit(query, byName, allowed);
    const others = last.hits.filter(({ tool }) => tool !== exact[0]?.tool && allowed(tool));
    return [...exact, ...others].slice(0, limit);
  }

  return {
    find,
    absent(query) {
      const [best] = find(query, 1, () => true);
      return built?.absentTopic(built.spell(splitName(query)), best);
    },
    wantsRemoval(query) {
      built ??= buildIndex(tools);
      const text = built.spell(splitName(query));
      if (saysRemoval(text)) return true;
      const [likest] = [...built.nearest(text)].toSorted(([, a], [, b]) => b - a);
      return likest !== undefined && likest[1] >= MIN_LIKE_REMOVAL && built.removals.has(likest[0]) && !isElse(text);
    },
    understands(query) {
      built ??= buildIndex(tools);
      const { spell, knows } = built;
      const text = spell(splitName(query));
      const words = spokenWords(text).filter((word) => !/\d/u.test(word));
      return words.filter(knows).length >= MIN_KNOWN * words.length || wordsOf(text).some(isVerb);
    },
    coverage(query, tool) {
      built ??= buildIndex(tools);
      return built.coverage.ofKnown(built.spell(splitName(query)), tool);
    },
    named: (names) => names.flatMap((name) => byName.get(name) ?? []),
    nearest: (query, allowed) => {
      const names = tools.filter(allowed).map((tool) => tool.name);
      return nearestNames(query, names).map((name) => byName.get(name) as Tool);
    },
  };
}

function rank(text: string, tools: readonly Tool[], built: ToolIndex): Hit[] {
  const query = built.spell(splitName(text));
  const byWords = scoresByWords(query, tools, built);
  const best = Math.max(Number.EPSILON, ...byWords.values());
  const likeness = built.likeness(query);
  const queryVerbs = wordsOf(query).filter(isVerb);
  return tools
    .map((tool) => {
      const score = WORDS_WEIGHT * ((byWords.get(tool.name) ?? 0) / best) + likeness(tool);
      const agreement = verbAgreement(queryVerbs, built.verbs.get(tool.name) ?? [], tool);
      return { tool, score: score * agreement ** VERB_SHARE };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.tool.name.localeCompare(b.tool.name));
}

function scoresByWords(query: string, tools: readonly Tool[], { index, verbs, names }: ToolIndex): Map<string, number> {
  const words = [...new Set(wordsOf(query))];
  if (words.length === 0) return new Map();
  const queryVerbs = words.filter(isVerb);
  const results = index.search(words.join(' '), {
    boost: BOOST,
    boostTerm: (term) => (isVerb(term) ? VERB_WEIGHT : 1),
    prefix: (term) => term.length >= 3,
    fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
    weights: { fuzzy: 0.25, prefix: 0.4 },
  });
  const hits = new Map(results.map((hit) => [hit.id as string, hit]));
  return new Map(
    tools.flatMap((tool) => {
      const hit = hits.get(tool.name);
      if (hit === undefined) return [];
      const coverage = 0.4 + 0.6 * (hit.queryTerms.length / words.length);
      const verbFactor = verbAgreement(queryVerbs, verbs.get(tool.name) ?? [], tool);
      const fits = verbFactor * nameShare(words, names.get(tool.name) ?? []);
      return [[tool.name, hit.score * coverage * fits * pluralAgreement(query, words, tool)]];
    }),
  );
}

interface ToolIndex extends Speller {
  index: MiniSearch;
  /** The verbs of each tool by its name. */
  verbs: ReadonlyMap<string, readonly string[]>;
  /** The words of each tool's name. */
  names: ReadonlyMap<string, readonly string[]>;
  likeness(query: string): (tool: Tool) => number;
  coverage: Coverage;
  nearest: NearestExamples;
  /** The names of the classes of examples whose tools take something away. */
  removals: ReadonlySet<string>;
  absentTopic: AbsentTopicOf;
}

function buildIndex(tools: readonly Tool[]): ToolIndex {
  const index = new MiniSearch({
    idField: 'key',
    fields: FIELDS,
    // The vocabulary has cut and stemmed the texts into words already.
    tokenize: (text) => (text === '' ? [] : text.split(' ')),
    processTerm: (term) => term,
  });
  const documents = tools.map(documentOf);
  index.addAll(documents);
  const indexed = new Set(documents.flatMap((document) => Object.values(document).flatMap((text) => text.split(' '))));
  const classes = exampleClassesOf(tools);
  const coverage = createCoverage(tools, classes);
  const nearest = createNearestExamples(classes);
  return {
    index,
    verbs: new Map(tools.map((tool) => [tool.name, verbsOf(tool)])),
    names: new Map(tools.map((tool) => [tool.name, [...new Set(wordsOf(tool.name))]])),
    ...createSpeller(classes, indexed),
    likeness: createLikeness(tools, classes, nearest),
    coverage,
    nearest,
    removals: new Set(classes.filter(({ tools: served }) => served.some(takesAway)).map(({ name }) => name)),
    absentTopic: createAbsence(tools, classes, nearest, coverage),
  };
}

function documentOf(tool: Tool): Record<string, string> {
  const words = (text: string): string => wordsOf(text).join(' ');
  return {
    key: tool.name,
    name: words(tool.name),
    aliases: tool.aliases.map(words).join(' '),
    summary: words(tool.summary),
    tag: words(tool.tag),
    description: words(tool.description),
    inputs: words(
      fieldsOf(tool.input)
        .map(({ path }) => path.slice(path.lastIndexOf('.') + 1))
        .join(' , '),
    ),
  };
}

/** The verbs of a tool in the vocabulary: those of its name, else those of its effect. */
function verbsOf(tool: Tool): string[] {
  const own = wordsOf(tool.name).filter(isVerb);
  if (own.length > 0) return own;
  return { read: ['get'], create: ['add'], update: ['update'], delete: ['delete'], control: [] }[tool.effect];
}

/** A factor that is above 1 where the query and the tool share a verb, and below 1 where their verbs differ. */
function verbAgreement(queryVerbs: readonly string[], verbs: readonly string[], tool: Tool): number {
  if (queryVerbs.length === 0) return tool.effect === 'read' ? 1.15 : 1;
  if (verbs.length === 0) return 1;
  return queryVerbs.some((verb) => verbs.includes(verb)) ? VERB_FITS : VERB_DIFFERS;
}

/** A factor that grows with the share of the name's words in the query: a longer name means more than the query says. */
function nameShare(words: readonly string[], name: readonly string[]): number {
  const matches = name.filter((word) => words.includes(word)).length;
  return 1 - NAME_SHARE + 2 * NAME_SHARE * (matches / Math.max(1, name.length));
}

/** A factor for lists and single rows: `show channel 5` wants one, `show channels` wants all. */
function pluralAgreement(query: string, words: readonly string[], tool: Tool): number {
  if (tool.effect !== 'read') return 1;
  const isPlural = isList(tool) || /sStatus$/u.test(tool.name);
  const one = /\d|["'“”]|\b(?:this|that(?! (?:is|are|was|we)\b)|one|single|details?)\b/iu.test(query);
  const many = words.includes('all') || PLURAL.test(query);
  if (one && !words.includes('all')) return isPlural ? 0.8 : 1.2;
  // Without a number or a plural a list is as likely as a single row, because people seldom know an id.
  if (!many) return 1.1;
  return isPlural ? 1.15 : 0.95;
}

/** Finds the tool whose name has the letters of the query, whatever their case and the marks between them. */
function exactHit(query: string, byName: ReadonlyMap<string, Tool>, allowed: (tool: Tool) => boolean): Hit[] {
  const wanted = lettersOf(query);
  const tool = [...byName.values()].find((candidate) => lettersOf(candidate.name) === wanted);
  return tool !== undefined && allowed(tool) ? [{ tool, score: EXACT_SCORE }] : [];
}
