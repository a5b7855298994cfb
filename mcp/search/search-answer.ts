/** The answer of search_tools: as much of each schema as its budget allows, the best hit first. */
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { PAGE_SIZE } from '../../toolkit/output/page.ts';
import { isWorkflow, type Tool } from '../../toolkit/tool.ts';
import { hintsOf } from '../calls/hints.ts';
import { DEFAULT_LIMIT } from '../calls/meta-tools.ts';
import { CHARS_PER_TOKEN, outline, withoutDescriptions } from './schema-size.ts';
import type { AbsentTopic } from './queries/absent-topic.ts';
import { changesAir, takesAway } from './harm.ts';
import { EXACT_SCORE, type Hit, type ToolSearch } from './search.ts';

/** An answer at the default limit has to stay below 1,500 tokens, also where a tokenizer makes more of them than four characters each. */
const BUDGET = 1300 * CHARS_PER_TOKEN;
/** The answer has about so many characters beside query and tools. */
const FRAME = 200;
const BUDGET_A_TOOL = BUDGET / DEFAULT_LIMIT;
const OUTPUT_DEPTH = 2;
/** With a smaller lead the forbidden tool may be no nearer to the wish than an allowed one. */
const CLEARLY_BETTER = 1.5;
/** The best hit of nearly each phrase of people has at least this score; two words that happen to stand in a name have less. */
const MIN_FIT = 3;
/** A model may try the tools that are listed where nothing fits: reads come first. */
const RISK: Record<Tool['effect'], number> = { read: 0, create: 1, update: 1, control: 1, delete: 2 };
/** A change of the air is listed from this score on, and beside a better hit only where it is nearly as good. */
const MIN_STRONG = 3.8;
const STRONG_SHARE = 0.6;
/** Below this coverage most of the query is about something else. */
const MIN_COVERAGE = 0.3;
/** So many names are read first; what takes something away is among them only where that is the wish. */
const FIRST_NAMES = 3;
/** Hits that may be left out because of what they do. */
const SPARE = 10;
const NOTHING_FITS =
  'Nothing fits these words well; what is nearest is listed, reads first. Say what should happen and to what, e.g. "delete a recording".';
const NOT_ALLOWED = 'What fits is not allowed here; of the rest what is nearest is listed, reads first.';
const MORE_SCHEMA =
  'Tools with "arguments" (? = optional) have more schema than fits here: search their name with limit 1.';

type ToolEntry = Record<string, unknown>;

export interface SearchAnswer extends Record<string, unknown> {
  query: string;
  tools: ToolEntry[];
  /** false: nothing fits well; else left out. */
  fits?: boolean;
  forbidden?: Forbidden;
}

export interface SearchRequest {
  query: string;
  limit: number;
  detail: 'names' | 'schema';
}

/** A tool that fits better than all that this caller may call. */
interface Forbidden {
  name: string;
  /** The profile or the role that would allow it. */
  why: string;
}

/** `refusal` is the text with which a call of a tool would be refused. */
export function answerSearch(
  search: ToolSearch,
  request: SearchRequest,
  allowed: (tool: Tool) => boolean,
  refusal?: (tool: Tool) => string | undefined,
): SearchAnswer {
  const { query, limit, detail } = request;
  const isOperation = (tool: Tool): boolean => !isWorkflow(tool) && allowed(tool);
  const [workflow] = search.find(query, 1, (tool) => isWorkflow(tool) && allowed(tool));
  // Of words that nothing here knows no topic is told.
  const isKnown = search.understands(query);
  const absent = isKnown ? search.absent(query) : undefined;
  const found = withNamed(query, workflow, search.find(query, limit + SPARE, isOperation));
  // The best of all tools counts, whether the caller may call it or not: where a start is refused, its neighbours are no answer.
  const [best] = search.find(query, 1, () => true);
  const isUnderstood = isKnown && absent === undefined;
  const allowedBest = Math.max(found[0]?.score ?? 0, workflow?.score ?? 0);
  const forbidden = isUnderstood ? forbiddenOf(best, allowedBest, refusal) : undefined;
  const besides = { ...(forbidden !== undefined && { forbidden }) };
  if (found.length === 0) return nothingFound(search, query, absent, besides, isOperation);
  const isFit = fitsWish(search, query, allowedBest);
  const named = [...found, ...(workflow === undefined ? [] : [workflow])].filter(isFit);
  const highest = Math.max(0, ...named.map(({ score }) => score));
  const fits = isUnderstood && highest >= MIN_FIT;
  const hits = fits ? ordered(found.filter(isFit)).slice(0, limit) : harmless(search, request, absent, isOperation);
  const isBetter = workflow !== undefined && isFit(workflow) && workflow.score >= (best?.score ?? 0);
  const notes = fits
    ? []
    : [absent === undefined ? (forbidden === undefined ? NOTHING_FITS : NOT_ALLOWED) : noteOf(absent)];
  const budget = Math.max(BUDGET, limit * BUDGET_A_TOOL) - FRAME - JSON.stringify([query, besides, notes]).length;
  const tools = detail === 'names' ? hits.map(shortEntry) : fullEntries(hits, limit === 1 ? Infinity : budget);
  if (tools.some((tool) => tool['arguments'] !== undefined)) notes.push(MORE_SCHEMA);
  return {
    query,
    tools,
    ...(!fits && { fits }),
    ...(fits && isBetter && { workflow: workflow.tool.name }),
    ...besides,
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
}

/** Whether a hit may be named: what takes something away only where that is the wish, what changes the air only on a strong match. */
function fitsWish(search: ToolSearch, query: string, highest: number): (hit: Hit) => boolean {
  const wantsRemoval = search.wantsRemoval(query);
  return (hit) => {
    if (hit.score >= EXACT_SCORE) return true;
    if (takesAway(hit.tool) && !wantsRemoval) return false;
    if (!takesAway(hit.tool) && !changesAir(hit.tool)) return true;
    return isStrong(hit, highest) && search.coverage(query, hit.tool) >= MIN_COVERAGE;
  };
}

/** Hits that take something away come after the first names, unless the best one does. */
function ordered(hits: readonly Hit[]): readonly Hit[] {
  if (hits[0] === undefined || takesAway(hits[0].tool)) return hits;
  const first = hits.filter(({ tool }) => !takesAway(tool)).slice(0, FIRST_NAMES);
  return [...first, ...hits.filter((hit) => !first.includes(hit))];
}

function isStrong({ score }: Hit, highest: number): boolean {
  return score >= MIN_STRONG && score >= STRONG_SHARE * highest;
}

/** The tools that are nearest in purpose, then those that are nearest by their words. */
function harmless(
  search: ToolSearch,
  { query, limit }: SearchRequest,
  absent: AbsentTopic | undefined,
  allowed: (tool: Tool) => boolean,
): readonly Hit[] {
  const near = search.find(query, Infinity, (tool) => allowed(tool) && isHarmless(tool));
  const inPurpose = (absent?.nearest ?? []).flatMap((name) => near.filter(({ tool }) => tool.name === name));
  const others = near.filter((hit) => !inPurpose.includes(hit)).slice(0, limit);
  return [...inPurpose, ...others.toSorted((a, b) => RISK[a.tool.effect] - RISK[b.tool.effect])].slice(0, limit);
}

function isHarmless(tool: Tool): boolean {
  return !takesAway(tool) && !changesAir(tool);
}

function noteOf({ about, instead, nearest }: AbsentTopic): string {
  const advice =
    nearest.length === 0 ? 'What is listed may be of no use' : 'What comes nearest in purpose is listed first';
  const way = instead === undefined ? '' : ` The way there is: ${instead}.`;
  return `There is nothing here for ${about}.${way} ${advice}; say so rather than trying it.`;
}

/**
 * The forbidden tool that clearly fits best. Without it the answer would look as if the search had found something. `allowed` is the best
 * score among the tools that the caller may call.
 */
function forbiddenOf(
  best: Hit | undefined,
  allowed: number,
  refusal: (tool: Tool) => string | undefined = () => undefined,
): Forbidden | undefined {
  if (best === undefined || best.score < CLEARLY_BETTER * allowed) return undefined;
  const why = refusal(best.tool);
  return why === undefined ? undefined : { name: best.tool.name, why };
}

/** Adds the workflow whose name is the query, because tools/list shows only the fields that its answer always has. */
function withNamed(query: string, workflow: Hit | undefined, operations: readonly Hit[]): readonly Hit[] {
  if (workflow?.tool.name !== query) return operations;
  return [{ ...workflow, score: Math.max(workflow.score, operations[0]?.score ?? 0) }, ...operations];
}

function nothingFound(
  search: ToolSearch,
  query: string,
  absent: AbsentTopic | undefined,
  besides: Pick<SearchAnswer, 'forbidden'>,
  allowed: (tool: Tool) => boolean,
): SearchAnswer {
  const near = search.nearest(query, (tool) => allowed(tool) && isHarmless(tool));
  const inPurpose = search.named(absent?.nearest ?? []).filter(allowed);
  const tools = [...inPurpose, ...near.toSorted((a, b) => RISK[a.effect] - RISK[b.effect])];
  return {
    query,
    tools: [...new Set(tools)].map((tool) => shortEntry({ tool, score: 0 })),
    fits: false,
    ...besides,
    note: absent === undefined ? NOTHING_FITS : noteOf(absent),
  };
}

function shortEntry({ tool, score }: Hit): ToolEntry {
  return { name: tool.name, summary: tool.summary, score: Math.round(score * 10) / 10 };
}

type Form = (hit: Hit) => ToolEntry;

const namesOnly: Form = (hit) => ({ ...described(hit), arguments: argumentNames(hit.tool) });
const terse: Form = (hit) => ({ ...described(hit), inputSchema: withoutDescriptions(inputOf(hit.tool)) });
const whole: Form = (hit) => ({ ...described(hit), inputSchema: inputOf(hit.tool) });
const withOutput: Form = (hit) => ({ ...whole(hit), outputSchema: outputOf(hit.tool, OUTPUT_DEPTH) });

/** Each entry grows as far as the budget allows, the best one first. All inputs come before outputs, because a call needs the input. */
function fullEntries(hits: readonly Hit[], budget: number): ToolEntry[] {
  const chosen = hits.map((hit) => ({ hit, form: namesOnly, entry: namesOnly(hit) }));
  let left = budget - JSON.stringify(chosen.map(({ entry }) => entry)).length;
  const grow = (tool: (typeof chosen)[number], form: Form): boolean => {
    const entry = form(tool.hit);
    const cost = JSON.stringify(entry).length - JSON.stringify(tool.entry).length;
    if (cost > left) return false;
    left -= cost;
    Object.assign(tool, { form, entry });
    return true;
  };
  for (const tool of chosen) void (grow(tool, whole) || grow(tool, terse));
  // A call is filled in from the input. What comes back is shown of the best hit alone, where there is space.
  const [first] = chosen;
  if (first?.form === whole) grow(first, withOutput);
  return chosen.map(({ entry }) => entry);
}

function described(hit: Hit): ToolEntry {
  const { tool } = hit;
  return { ...shortEntry(hit), role: tool.access, annotations: hintsOf(tool) };
}

function argumentNames({ input }: Tool): string {
  const optional = new Set(Object.entries(input.shape).flatMap(([name, field]) => (field.isOptional() ? [name] : [])));
  return Object.keys(input.shape)
    .map((name) => (optional.has(name) ? `${name}?` : name))
    .join(', ');
}

const inputs = new WeakMap<Tool, JsonSchema>();

/** The schema of a list states the defaults of REST, and a model that believed them would take twenty short rows for all rows. */
function inputOf(tool: Tool): JsonSchema {
  const schema = toJsonSchema(tool.input);
  if (tool.shortFields === undefined) return schema;
  let known = inputs.get(tool);
  if (known === undefined) {
    const properties = schema['properties'] as Record<string, JsonSchema>;
    const own = {
      pageSize: { ...properties['pageSize'], default: PAGE_SIZE.mcp },
      fields: { ...properties['fields'], default: tool.shortFields.join(',') },
    };
    known = { ...schema, properties: { ...properties, ...own } };
    inputs.set(tool, known);
  }
  return known;
}

const outputs = new WeakMap<Tool, Map<number, JsonSchema>>();

function outputOf(tool: Tool, depth: number): JsonSchema {
  const ofTool = outputs.get(tool) ?? new Map<number, JsonSchema>();
  outputs.set(tool, ofTool);
  const known = ofTool.get(depth) ?? (withoutDescriptions(outline(toJsonSchema(tool.output), depth)) as JsonSchema);
  ofTool.set(depth, known);
  return known;
}
