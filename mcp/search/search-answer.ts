/** The answer of search_tools: as much of each schema as its budget allows, the best hit first. */
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { PAGE_SIZE } from '../../toolkit/output/page.ts';
import { isWorkflow, type Tool } from '../../toolkit/tool.ts';
import { hintsOf } from '../calls/hints.ts';
import { DEFAULT_LIMIT } from '../calls/meta-tools.ts';
import { CHARS_PER_TOKEN, outline, withoutDescriptions } from './schema-size.ts';
import type { AbsentTopic } from './queries/absent.ts';
import type { Hit, ToolSearch } from './search.ts';

/** 1,500 tokens at the default limit. */
const BUDGET = 1500 * CHARS_PER_TOKEN;
/** The answer has about so many characters beside query and tools. */
const FRAME = 200;
const BUDGET_A_TOOL = BUDGET / DEFAULT_LIMIT;
const OUTPUT_DEPTH = 2;
/** With a smaller lead the forbidden tool may be no nearer to the wish than an allowed one. */
const CLEARLY_BETTER = 1.5;
/** The best hit of each of 564 phrases of people has at least this score; two words that happen to stand in a name have less. */
const MIN_FIT = 3.2;
/** A model may try the tools that are listed where nothing fits: reads come first, and controls and deletes are left out. */
const RISK: Record<Tool['effect'], number> = { read: 0, create: 1, update: 1, control: 2, delete: 2 };
const MAX_RISK = 2;
/** A control or a delete is listed from this score on, and beside a better hit only where it is nearly as good. */
const MIN_STRONG = 4.25;
const STRONG_SHARE = 0.6;
/** Below this coverage most of the query is about something else: none of 200 phrases that want such a tool has less. */
const MIN_COVERAGE = 0.3;
const NOTHING_FITS =
  'Nothing fits these words well; what is nearest is listed, reads first. Say what should happen and to what, e.g. "delete a recording".';
const NOT_ALLOWED = 'What fits is not allowed here; of the rest what is nearest is listed, reads first.';
const MORE_SCHEMA =
  'Tools with "arguments" (? = optional) have more schema than fits here: search their name with limit 1.';
/** Depth 1 shows the envelope, for which there is always space. */
const MIN_OUTPUT_DEPTH = 1;

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
  const operations = search.find(query, limit, isOperation);
  const [workflow] = search.find(query, 1, (tool) => isWorkflow(tool) && allowed(tool));
  const absent = search.absent(query);
  const found = withNamed(query, workflow, operations).slice(0, limit);
  // The best of all tools counts, whether the caller may call it or not: where a start is refused, its neighbours are no answer.
  const [best] = search.find(query, 1, () => true);
  const highest = Math.max(found[0]?.score ?? 0, workflow?.score ?? 0);
  const isUnderstood = absent === undefined && search.understands(query);
  const forbidden = isUnderstood ? forbiddenOf(best, highest, refusal) : undefined;
  const besides = { ...(forbidden !== undefined && { forbidden }) };
  if (found.length === 0) return nothingFound(search, query, workflow, besides, isOperation);
  const top = workflow !== undefined && workflow.score >= highest ? workflow : found[0];
  const isNamed = (hit: Hit): boolean =>
    RISK[hit.tool.effect] < MAX_RISK || (isStrong(hit, highest) && search.coverage(query, hit.tool) >= MIN_COVERAGE);
  const fits = isUnderstood && highest >= MIN_FIT && top !== undefined && isNamed(top);
  const hits = fits ? found.filter(isNamed) : harmless(search, request, absent, isOperation);
  const better =
    fits && workflow !== undefined && workflow.score >= (best?.score ?? 0) ? workflow.tool.name : undefined;
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
    ...(better !== undefined && { workflow: better }),
    ...besides,
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
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
  const near = search.find(query, Infinity, (tool) => allowed(tool) && RISK[tool.effect] < MAX_RISK);
  const inPurpose = (absent?.nearest ?? []).flatMap((name) => near.filter(({ tool }) => tool.name === name));
  const others = near.filter((hit) => !inPurpose.includes(hit)).slice(0, limit);
  return [...inPurpose, ...others.toSorted((a, b) => RISK[a.tool.effect] - RISK[b.tool.effect])].slice(0, limit);
}

function noteOf({ about, nearest }: AbsentTopic): string {
  const advice =
    nearest.length === 0 ? 'What is listed may be of no use' : 'What comes nearest in purpose is listed first';
  return `There is nothing here for ${about}. ${advice}; say so rather than trying it.`;
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
  workflow: Hit | undefined,
  besides: Pick<SearchAnswer, 'forbidden'>,
  allowed: (tool: Tool) => boolean,
): SearchAnswer {
  const near = search.nearest(query, (tool) => allowed(tool) && RISK[tool.effect] < MAX_RISK);
  const tools = near.toSorted((a, b) => RISK[a.effect] - RISK[b.effect]);
  return {
    query,
    tools: tools.map((tool) => shortEntry({ tool, score: 0 })),
    fits: false,
    ...(workflow !== undefined && { workflow: workflow.tool.name }),
    ...besides,
    note: NOTHING_FITS,
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
  for (const tool of chosen) if (tool.form === whole) grow(tool, withOutput);
  return chosen.map(({ entry }) => entry);
}

function described(hit: Hit): ToolEntry {
  const { tool } = hit;
  const outputSchema = outputOf(tool, MIN_OUTPUT_DEPTH);
  return { ...shortEntry(hit), role: tool.access, annotations: hintsOf(tool), outputSchema };
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
