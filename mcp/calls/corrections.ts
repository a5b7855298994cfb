/** Adds the corrected call to a refusal, where it is known what the caller meant. */
import { AppError, type FieldIssue } from '../../domain/base/errors.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { lettersOf } from '../../toolkit/input/near-misses.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { stripInvisible } from '../../toolkit/output/visible.ts';
import type { Catalogue } from '../../toolkit/catalogue.ts';
import type { ToolSearch } from '../search/search.ts';
import { SEARCH_TOOLS, searchInput } from './meta-tools.ts';
import type { WithIds } from '../../toolkit/input/named-ids.ts';
import { isShownWhole, shownArguments } from '../../toolkit/input/shown-arguments.ts';

export interface RefusedCall {
  name: string;
  /** undefined: they could not be read. */
  args: Record<string, unknown> | undefined;
  /** True: it came through call_tool, whose arguments name the operation. */
  isInner: boolean;
}

type Fields = Record<string, unknown>;

const MAX_OFFERED = 3;

/** The operations that the caller may call, and the search among them. */
export interface Reach {
  search: ToolSearch;
  surface: { allows(tool: Tool): boolean };
  dispatcher: { catalogue: Pick<Catalogue, 'find' | 'operations' | 'workflows'> };
}

type Ids = ReadonlyMap<string, number>;
const NO_IDS: Ids = new Map();

/** A refusal with the ids behind the names that stand in place of ids, by field, and the field whose name no row has. */
type Refusal = Pick<WithIds, 'error'> & Partial<WithIds>;

/** The error with the corrected call among its facts, or unchanged where nobody knows what was meant. */
export function withCorrection({ error, ids = NO_IDS, unknown }: Refusal, call: RefusedCall, reach: Reach): unknown {
  if (!(error instanceof AppError) || error.extras.replayed) return error;
  if (error.code === 'unknown_operation') return unknownTool(error, call, reach);
  if (unknown !== undefined) return added(error, { nearest: nearestCalls(error, { ids, unknown }, call, reach) });
  const corrected_call = correctedCall(error, ids, call, reach);
  return corrected_call === undefined ? error : added(error, { corrected_call });
}

function correctedCall(error: AppError, ids: Ids, call: RefusedCall, reach: Reach): Fields | undefined {
  const args = call.args && correctedArguments(error, call.args, ids);
  const tool = call.name === SEARCH_TOOLS ? { input: searchInput } : reach.dispatcher.catalogue.find(call.name);
  return args !== undefined && isTaken(args, tool) ? callOf(call, shownArguments(args)) : undefined;
}

/** The nearest rows, each with the call that would take it: they are other rows than the one that was named. */
function nearestCalls(
  error: AppError,
  { ids, unknown }: { ids: Ids; unknown: string },
  call: RefusedCall,
  reach: Reach,
): Fields[] {
  const rows = error.extras.facts?.['nearest'] as { id: number }[];
  return rows.map((row) => {
    const withRow = correctedCall(error, new Map([...ids, [unknown, row.id]]), call, reach);
    return withRow === undefined ? row : { ...row, call: withRow };
  });
}

/** The refusal of an unknown name, with the nearest operations that the caller may call: the one that begins so, then by their words, and by their letters. */
function unknownTool(
  error: AppError,
  call: RefusedCall,
  { search, surface, dispatcher: { catalogue } }: Reach,
): AppError {
  const allowed = (tool: Tool): boolean => surface.allows(tool);
  const byWords = search.find(call.name.slice(0, 200), MAX_OFFERED, allowed).map(({ tool }) => tool.name);
  const byLetters = search.nearest(call.name, allowed).map((tool) => tool.name);
  const begun = [...catalogue.operations, ...catalogue.workflows]
    .filter((tool) => lettersOf(tool.name).startsWith(lettersOf(call.name)) && allowed(tool))
    .map(({ name }) => name)
    .toSorted((a, b) => a.length - b.length);
  const names = [...new Set([...begun.slice(0, 1), ...byWords, ...byLetters])];
  const nearest = names.slice(0, MAX_OFFERED);
  const alike = names.filter((name) => lettersOf(name) === lettersOf(call.name));
  const detail = `There is no operation ${JSON.stringify(stripInvisible(call.name).slice(0, 100))}. Did you mean ${nearest.join(', ')}?`;
  const meant = call.args && callTaken(call.args, alike, catalogue);
  const correction = meant && { corrected_call: callOf({ ...call, name: meant.name }, shownArguments(meant.args)) };
  return new AppError(error.code, detail, { ...error.extras, facts: { nearest, ...correction } });
}

function correctedArguments(error: AppError, args: Fields, ids: Ids): Fields | undefined {
  const { errors = [], facts } = error.extras;
  const flag = facts?.['flag'];
  if (facts?.['corrected_call'] !== undefined) return undefined;
  if (error.code === 'confirmation_required' && typeof flag === 'string') return { ...args, [flag]: true };
  if (error.code !== 'invalid_input') return undefined;
  const corrected = structuredClone(args);
  const filled = new Set<string>();
  // A missing field may be filled by the value of a field whose name was wrong.
  const [missing, others] = [errors.filter(isMissing), errors.filter((issue) => !isMissing(issue))];
  const isCorrected = others.length > 0 && others.every((issue) => correct(corrected, issue, filled, ids));
  return isCorrected && missing.every(({ field }) => filled.has(field)) ? corrected : undefined;
}

/**
 * The call of one of `names` that takes the arguments: as they are, or else as its own refusal of them corrects them. A workflow and an
 * operation may have the same letters, and only one of them takes these arguments.
 */
export function callTaken(
  args: Fields,
  names: readonly string[],
  catalogue: Pick<Catalogue, 'find'>,
): { name: string; args: Fields } | undefined {
  const tools = names.flatMap((name) => catalogue.find(name) ?? []);
  const own = tools.find((tool) => isTaken(args, tool));
  if (own !== undefined) return { name: own.name, args };
  for (const tool of tools) {
    const corrected = correctedArguments(refusalOf(tool, args), args, NO_IDS);
    if (corrected !== undefined && isTaken(corrected, tool)) return { name: tool.name, args: corrected };
  }
  return undefined;
}

function refusalOf(tool: Tool, args: Fields): AppError {
  try {
    parseInput(tool.input, args);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${tool.name} takes these arguments`);
}

/** Whether the tool takes all arguments, and all of them can be shown: anything less is no correction. */
function isTaken(args: Fields, tool: Pick<Tool, 'input'> | undefined): boolean {
  return isShownWhole(args) && tool?.input.safeParse(args).success === true;
}

function isMissing({ code }: FieldIssue): boolean {
  return code === 'required';
}

/** Corrects one finding in place and answers whether it could; `filled` gets the field that has a value now. */
function correct(args: Fields, { field, code, nearest, expected }: FieldIssue, filled: Set<string>, ids: Ids): boolean {
  const path = field.split('.');
  const name = path.pop() ?? '';
  const parent = path.reduce<unknown>((inner, step) => (inner as Fields | undefined)?.[step], args) as
    Fields | undefined;
  if (parent === undefined || !Object.hasOwn(parent, name)) return false;
  if (code === 'unknown_field' && typeof nearest === 'string') {
    const steps = nearest.split('.');
    if (!put(parent, steps, ids.get(field) ?? parent[name])) return false;
    delete parent[name];
    for (const at of steps.keys()) filled.add([...path, ...steps.slice(0, at + 1)].join('.'));
    return true;
  }
  const value =
    ids.get(field) ??
    (code === 'invalid_value'
      ? nearest
      : code === 'invalid_type'
        ? (nearest ?? converted(parent[name], expected))
        : undefined);
  if (value === undefined) return false;
  parent[name] = value;
  return true;
}

/** Puts a value at a path and makes the objects on the way there. Answers whether the place was free. */
function put(parent: Fields, [step = '', ...rest]: readonly string[], value: unknown): boolean {
  const inner = Object.hasOwn(parent, step) ? parent[step] : undefined;
  if (rest.length === 0) {
    if (inner !== undefined) return false;
    parent[step] = value;
    return true;
  }
  if (inner === undefined) return put((parent[step] = {}) as Fields, rest, value);
  return typeof inner === 'object' && inner !== null && put(inner as Fields, rest, value);
}

const TRUE_WORDS = new Set(['true', 'on', 'yes']);
const FALSE_WORDS = new Set(['false', 'off', 'no']);

/** The same value in another type: `"5"` for 5, `"true"` or `"on"` for true, 5 for `"5"`. */
function converted(value: unknown, expected: unknown): unknown {
  if ((expected === 'number' || expected === 'integer') && typeof value === 'string') {
    return /^-?\d{1,15}(?:\.\d{1,6})?$/u.test(value.trim()) ? Number(value) : undefined;
  }
  if (expected === 'boolean') {
    const word = typeof value === 'string' ? value.toLowerCase() : '';
    return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : undefined;
  }
  return expected === 'string' && typeof value === 'number' ? String(value) : undefined;
}

/** The call as the caller sends it: by call_tool, or by the tool's own name. */
export function callOf({ name, isInner }: Pick<RefusedCall, 'name' | 'isInner'>, args: Fields): Fields {
  return isInner ? { operationId: name, arguments: args } : { name, arguments: args };
}

function added(error: AppError, facts: Fields): AppError {
  const { code, message, extras } = error;
  return new AppError(code, message, { ...extras, facts: { ...extras.facts, ...facts }, cause: error });
}
