/** search_tools' ranking: BM25 over the words of each tool in the vocabulary of operators, and how like the query is to what people ask for. */
import MiniSearch from 'minisearch';
import { z } from 'zod/v3';
import { nearestNames } from '../../toolkit/catalogue.ts';
import { lettersOf } from '../../toolkit/input/near-misses.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { createAbsence, type AbsentTopicOf } from './absence.ts';
import { createCoverage, type Coverage } from './coverage.ts';
import { createLikeness, spokenWords } from './query-classifier.ts';
import type { AbsentTopic } from './queries/absent.ts';
import { createSpeller, type Speller } from './spelling.ts';
import { apart, isVerb, wordsOf } from './synonyms.ts';

export interface Hit {
  tool: Tool;
  score: number;
}

export interface ToolSearch {
  /** Best first. `allowed` is what the caller may call. Empty when nothing fits at all. */
  find(query: string, limit: number, allowed: (tool: Tool) => boolean): Hit[];
  /** The names nearest to a query that finds nothing. */
  nearest(query: string, allowed: (tool: Tool) => boolean): Tool[];
  /** What the query wants that no tool does; undefined where it may be one of them. */
  absent(query: string): AbsentTopic | undefined;
  /** Whether enough of a query is understood for its hits to mean anything: little is of another language, or of nonsense. */
  understands(query: string): boolean;
  /** How much of what is known of the query a tool explains, 0 to 1. */
  coverage(query: string, tool: Tool): number;
}

const FIELDS = ['name', 'aliases', 'summary', 'tag', 'description', 'inputs'];
/** Found by trying on our own phrases; the ranking changes little within a third up or down. */
const BOOST = { name: 3, aliases: 2.4, summary: 2, tag: 1, description: 0.6, inputs: 0.4 };
/** A verb narrows down what the noun found; by itself it says little. */
const VERB_WEIGHT = 0.3;
const VERB_FITS = 1.6;
const VERB_DIFFERS = 0.55;
const NAME_SHARE = 0.15;
/** A word in the plural; `is`, `status` and their like are none. */
const MANY = /\b(?!(?:does|this|hows|whats|lets|news|status|previous|always|yes)\b)[a-z]{2,}[a-rt-z]s\b/iu;
/** An exact name is above any sum. */
const EXACT = 1000;
/** The best by words against the likest to what people ask for, which has up to 4 (likeness.ts). */
const WORDS_WEIGHT = 2;
/** Of 564 phrases of people none has fewer words that are known; the names in them may be anything. */
const MIN_KNOWN = 0.5;

export function createToolSearch(tools: readonly Tool[]): ToolSearch {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  // Work that a server which is never searched does not do.
  let built: ToolIndex | undefined;
  /** One answer asks several times, for operations and for a workflow. */
  let last: { query: string; hits: Hit[] } | undefined;

  function find(query: string, limit: number, allowed: (tool: Tool) => boolean): Hit[] {
    built ??= buildIndex(tools);
    // All tools are ranked, so that a score means the same whoever asks.
    if (last?.query !== query) last = { query, hits: rank(query, tools, built) };
    const exact = exactly(query, byName, allowed);
    const rest = last.hits.filter(({ tool }) => tool !== exact[0]?.tool && allowed(tool));
    return [...exact, ...rest].slice(0, limit);
  }

  return {
    find,
    absent(query) {
      const [best] = find(query, 1, () => true);
      return best && built?.absentTopic(built.spell(apart(query)), best);
    },
    understands(query) {
      built ??= buildIndex(tools);
      const { spell, knows } = built;
      const said = spell(apart(query));
      const words = spokenWords(said).filter((word) => !/\d/u.test(word));
      return words.filter(knows).length >= MIN_KNOWN * words.length || wordsOf(said).some(isVerb);
    },
    coverage(query, tool) {
      built ??= buildIndex(tools);
      return built.coverage.ofKnown(built.spell(apart(query)), tool);
    },
    nearest: (query, allowed) => {
      const names = tools.filter(allowed).map((tool) => tool.name);
      return nearestNames(query, names).map((name) => byName.get(name) as Tool);
    },
  };
}

function rank(said: string, tools: readonly Tool[], built: ToolIndex): Hit[] {
  const query = built.spell(said);
  const byWords = scoresByWords(query, tools, built);
  const best = Math.max(Number.EPSILON, ...byWords.values());
  const likeness = built.likeness(query);
  return tools
    .map((tool) => ({ tool, score: WORDS_WEIGHT * ((byWords.get(tool.name) ?? 0) / best) + likeness(tool) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.tool.name.localeCompare(b.tool.name));
}

function scoresByWords(query: string, tools: readonly Tool[], { index, verbs, names }: ToolIndex): Map<string, number> {
  const words = [...new Set(wordsOf(query))];
  if (words.length === 0) return new Map();
  const asked = words.filter(isVerb);
  const found = index.search(words.join(' '), {
    boost: BOOST,
    boostTerm: (term) => (isVerb(term) ? VERB_WEIGHT : 1),
    prefix: (term) => term.length >= 3,
    fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
    weights: { fuzzy: 0.25, prefix: 0.4 },
  });
  const hits = new Map(found.map((hit) => [hit.id as string, hit]));
  return new Map(
    tools.flatMap((tool) => {
      const hit = hits.get(tool.name);
      if (hit === undefined) return [];
      const coverage = 0.4 + 0.6 * (hit.queryTerms.length / words.length);
      const fits = agreement(asked, verbs.get(tool.name) ?? [], tool) * named(words, names.get(tool.name) ?? []);
      return [[tool.name, hit.score * coverage * fits * number(query, words, tool)]];
    }),
  );
}

interface ToolIndex extends Speller {
  index: MiniSearch;
  /** What each tool does. */
  verbs: ReadonlyMap<string, readonly string[]>;
  /** The words of each name. */
  names: ReadonlyMap<string, readonly string[]>;
  likeness(query: string): (tool: Tool) => number;
  coverage: Coverage;
  absentTopic: AbsentTopicOf;
}

function buildIndex(tools: readonly Tool[]): ToolIndex {
  const index = new MiniSearch({
    idField: 'key',
    fields: FIELDS,
    // Texts come as ready words: cutting and stemming is the vocabulary's.
    tokenize: (text) => (text === '' ? [] : text.split(' ')),
    processTerm: (term) => term,
  });
  const documents = tools.map(documentOf);
  index.addAll(documents);
  const indexed = new Set(documents.flatMap((document) => Object.values(document).flatMap((text) => text.split(' '))));
  const coverage = createCoverage(tools);
  return {
    index,
    verbs: new Map(tools.map((tool) => [tool.name, verbsOf(tool)])),
    names: new Map(tools.map((tool) => [tool.name, [...new Set(wordsOf(tool.name))]])),
    ...createSpeller(tools, indexed),
    likeness: createLikeness(tools),
    coverage,
    absentTopic: createAbsence(tools, coverage),
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
    inputs: words(fieldNames(tool.input).join(' , ')),
  };
}

/** Names of the fields at every level: `segment length` is inside `settings`. */
function fieldNames(schema: z.ZodTypeAny): string[] {
  let bare = schema;
  while (bare instanceof z.ZodOptional || bare instanceof z.ZodNullable || bare instanceof z.ZodDefault) {
    bare = (bare._def as { innerType: z.ZodTypeAny }).innerType;
  }
  if (bare instanceof z.ZodArray) return fieldNames(bare.element as z.ZodTypeAny);
  if (!(bare instanceof z.ZodObject)) return [];
  const shape = bare.shape as z.ZodRawShape;
  return Object.entries(shape).flatMap(([name, field]) => [name, ...fieldNames(field)]);
}

/** What a tool does, in the verbs of the vocabulary: those of its name, else those of its effect. */
function verbsOf(tool: Tool): string[] {
  const own = wordsOf(tool.name).filter(isVerb);
  if (own.length > 0) return own;
  return { read: ['get'], create: ['add'], update: ['update'], delete: ['delete'], control: [] }[tool.effect];
}

function agreement(asked: readonly string[], verbs: readonly string[], tool: Tool): number {
  if (asked.length === 0) return tool.effect === 'read' ? 1.15 : 1;
  if (verbs.length === 0) return 1;
  return asked.some((verb) => verbs.includes(verb)) ? VERB_FITS : VERB_DIFFERS;
}

/** A name of which everything was said beats one that says more than was asked. */
function named(words: readonly string[], name: readonly string[]): number {
  const said = name.filter((word) => words.includes(word)).length;
  return 1 - NAME_SHARE + 2 * NAME_SHARE * (said / Math.max(1, name.length));
}

/** `show channel 5` wants one, `show channels` wants all. */
function number(query: string, words: readonly string[], tool: Tool): number {
  if (tool.effect !== 'read') return 1;
  const isList = isManifold(tool);
  const one = /\d|["'“”]|\b(?:this|that(?! (?:is|are|was|we)\b)|one|single|details?)\b/iu.test(query);
  const many = words.includes('all') || MANY.test(query);
  if (one && !words.includes('all')) return isList ? 0.8 : 1.2;
  // Without a number or a plural a list is as likely: of one, people seldom know the id.
  if (!many) return 1.1;
  return isList ? 1.15 : 0.95;
}

function isManifold({ name, output }: Tool): boolean {
  return 'rows' in ((output as { shape?: object }).shape ?? {}) || /sStatus$/u.test(name);
}

/** The same letters, whatever their case and what is between them. */
function exactly(query: string, byName: ReadonlyMap<string, Tool>, allowed: (tool: Tool) => boolean): Hit[] {
  const wanted = lettersOf(query);
  const tool = [...byName.values()].find((candidate) => lettersOf(candidate.name) === wanted);
  return tool !== undefined && allowed(tool) ? [{ tool, score: EXACT }] : [];
}
