/** search_tools and call_tool, which lead to every operation that tools/list does not show. */
import { z } from 'zod/v3';
import { AppError } from '../../domain/base/errors.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { assertBounded } from '../../toolkit/input/json-bounds.ts';
import { shownArguments } from '../../toolkit/input/shown-arguments.ts';
import { withoutAbsent } from './absent.ts';

export const SEARCH_TOOLS = 'search_tools';
export const CALL_TOOL = 'call_tool';
export const DEFAULT_LIMIT = 5;

export const searchInput = z
  .object({
    query: z.string().trim().min(1).max(200).describe('Your aim in a few words, or a name.'),
    limit: z.number().int().min(1).max(20).default(DEFAULT_LIMIT).describe('Most tools to answer; 1: schema in full.'),
    detail: z.enum(['names', 'schema']).default('schema').describe('names: without schemas.'),
  })
  .strict();

export const callInput = z
  .object({
    operationId: z.string().min(1).max(100).describe('Its name.'),
    arguments: z.object({}).passthrough().optional().describe('Its own arguments; left out: none.'),
    dry_run: z.boolean().default(false).describe('Only tell what it does.'),
  })
  .strict();

/** Every profile accepts `confirm`, so that one call works on each. Only the voice profile shows it. */
export const confirmingCallInput = callInput
  .extend({ confirm: z.boolean().optional().describe('Delete it.') })
  .strict();

export interface InnerCall {
  name: string;
  args: Record<string, unknown>;
  /** True: the call only tells what it would do. */
  preview: boolean;
  /** True: the person has heard the effect of a delete, and wants it. */
  confirmed: boolean;
}

/** A refusal repeats at most so much of a field's name, which the caller chooses. */
const MAX_NAME = 100;

/** Answers the arguments that an operation takes, where `args` are those or nearly so. */
export type Taken = (operationId: string, args: Record<string, unknown>) => Record<string, unknown> | undefined;

/** Accepts `name` for `operationId` and a JSON text for the object, as models send them. Throws AppError invalid_input. */
export function parseInnerCall(fields: Record<string, unknown>, taken: Taken): InnerCall {
  const {
    operationId,
    name,
    arguments: inner,
    dry_run,
    confirm,
    ...others
  } = withoutAbsent(confirmingCallInput, fields);
  // Beside operationId a name is the tool's own argument, because every create has one.
  const isOwn = operationId !== undefined && name !== undefined && name !== operationId;
  const flat = isOwn ? { name, ...others } : others;
  const args = parseArguments(inner);
  const wanted = parseInput(confirmingCallInput, {
    operationId: operationId ?? name,
    arguments: args,
    dry_run,
    confirm,
  });
  if (Object.keys(flat).length > 0) throw flatArguments(wanted.operationId, { ...flat, ...wanted.arguments }, taken);
  return {
    name: wanted.operationId,
    args: wanted.arguments ?? {},
    preview: wanted.dry_run,
    confirmed: wanted.confirm === true,
  };
}

function parseArguments(inner: unknown): unknown {
  if (inner === undefined || inner === null || inner === '') return {};
  if (typeof inner !== 'string') return inner;
  assertBounded(inner, 'arguments');
  try {
    return JSON.parse(inner);
  } catch (cause) {
    const issue = { field: 'arguments', code: 'invalid_json', message: 'is a text that is not JSON; send an object' };
    throw new AppError('invalid_input', `The input is not valid. arguments: ${issue.message}.`, {
      errors: [issue],
      cause,
    });
  }
}

/** The corrected call repeats no text that may be a secret, and stands there only where the operation would take it. */
function flatArguments(operationId: string, flat: Record<string, unknown>, taken: Taken): AppError {
  const args = taken(operationId, flat);
  const corrected_call = args && { operationId, arguments: shownArguments(args) };
  const errors = Object.keys(flat)
    .slice(0, 20)
    .map((field) => ({
      field: field.slice(0, MAX_NAME),
      code: 'unknown_field',
      message: 'belongs inside arguments',
    }));
  const example = corrected_call && `: ${JSON.stringify(corrected_call).slice(0, 1000)}`;
  const detail = `Put the arguments of ${operationId} inside "arguments"${example ?? '.'}`;
  return new AppError('invalid_input', detail, { errors, ...(corrected_call && { facts: { corrected_call } }) });
}
