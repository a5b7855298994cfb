/** The call as it should have been, where that can be known, beside the refusal of the call as it was. */
import { AppError, type FieldIssue } from '../../domain/errors.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { lettersOf } from '../../toolkit/input/near-misses.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { stripInvisible } from '../../toolkit/output/visible.ts';
import type { Catalogue } from '../../toolkit/catalogue.ts';
import type { ToolSearch } from '../search/search.ts';
import { SEARCH_TOOLS, searchInput } from './meta-tools.ts';
import { isShownWhole, shownArguments } from './shown-arguments.ts';

export interface RefusedCall {
  name: string;
  /** undefined where they could not be read. */
  args: Record<string, unknown> | undefined;
  /** It came through call_tool, whose arguments name the operation. */
  isInner: boolean;
}

type Fields = Record<string, unknown>;

const OFFERED = 3;
/** What is known of the operations that the caller may call. */
export interface Reach {
  search: ToolSearch;
  surface: { allows(tool: Tool): boolean };
  dispatcher: { catalogue: Pick<Catalogue, 'find'> };
}

type Ids = ReadonlyMap<string, number>;
const NO_IDS: Ids = new Map();

/** `error` with the corrected call among its facts; as it is where nobody can know what was meant. `ids`: of names given for ids, by field. */
export function withCorrection(error: unknown, call: RefusedCall, reach: Reach, ids = NO_IDS): unknown {
  if (!(error instanceof AppError) || error.extras.replayed) return error;
  if (error.code === 'unknown_operation') return unknownTool(error, call, reach);
  const args = call.args && correctedArguments(error, call.args, ids);
  if (
    args === undefined ||
    !isTaken(args, call.name === SEARCH_TOOLS ? { input: searchInput } : reach.dispatcher.catalogue.find(call.name))
  )
    return error;
  return added(error, { corrected_call: callOf(call, shownArguments(args)) });
}

/** A name that is none: the operations nearest to it among those that may be called, by their words and then by their letters. */
function unknownTool(
  error: AppError,
  call: RefusedCall,
  { search, surface, dispatcher: { catalogue } }: Reach,
): AppError {
  const allowed = (tool: Tool): boolean => surface.allows(tool);
  const found = search.find(call.name.slice(0, 200), OFFERED, allowed).map(({ tool }) => tool.name);
  const near = search.nearest(call.name, allowed).map((tool) => tool.name);
  const names = [...new Set([...found, ...near])];
  const nearest = names.slice(0, OFFERED);
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
  // What is missed may come by the right name of what was given.
  const [missed, others] = [errors.filter(isStillLost), errors.filter((issue) => !isStillLost(issue))];
  const isMended = others.length > 0 && others.every((issue) => mend(corrected, issue, filled, ids));
  return isMended && missed.every(({ field }) => filled.has(field)) ? corrected : undefined;
}

/**
 * The call of one of `names` that takes the arguments: as they are, or else as its own refusal of them would be mended. A workflow and
 * an operation may have the same letters, and only one of them takes what was sent.
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
    const mended = correctedArguments(refusalOf(tool, args), args, NO_IDS);
    if (mended !== undefined && isTaken(mended, tool)) return { name: tool.name, args: mended };
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

/** What is still wrong in another place is no correction, and neither is what would be sent without a part of it. */
function isTaken(args: Fields, tool: Pick<Tool, 'input'> | undefined): boolean {
  return isShownWhole(args) && tool?.input.safeParse(args).success === true;
}

function isStillLost({ code }: FieldIssue): boolean {
  return code === 'required';
}

/** Whether the finding could be mended; `filled` gets the field that has a value now. */
function mend(args: Fields, { field, code, nearest, expected }: FieldIssue, filled: Set<string>, ids: Ids): boolean {
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

/** Whether the place was free; objects on the way there are made. */
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

const SAID_TRUE = new Set(['true', 'on', 'yes']);
const SAID_FALSE = new Set(['false', 'off', 'no']);

/** `"5"` for 5, `"true"` or `"on"` for true, 5 for `"5"`: the same in another spelling. */
function converted(value: unknown, expected: unknown): unknown {
  if ((expected === 'number' || expected === 'integer') && typeof value === 'string') {
    return /^-?\d{1,15}(?:\.\d{1,6})?$/u.test(value.trim()) ? Number(value) : undefined;
  }
  if (expected === 'boolean') {
    const said = typeof value === 'string' ? value.toLowerCase() : '';
    return SAID_TRUE.has(said) ? true : SAID_FALSE.has(said) ? false : undefined;
  }
  return expected === 'string' && typeof value === 'number' ? String(value) : undefined;
}

/** As the caller sends it: by call_tool, or by the tool's own name. */
export function callOf({ name, isInner }: Pick<RefusedCall, 'name' | 'isInner'>, args: Fields): Fields {
  return isInner ? { operationId: name, arguments: args } : { name, arguments: args };
}

function added(error: AppError, facts: Fields): AppError {
  const { code, message, extras } = error;
  return new AppError(code, message, { ...extras, facts: { ...extras.facts, ...facts }, cause: error });
}
