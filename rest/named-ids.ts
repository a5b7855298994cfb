/** Texts in the places of ids: the refusal of a body or of a path has the rows that are called so, or the nearest. */
import { AppError, invalidInput } from '../domain/base/errors.ts';
import type { Call } from '../toolkit/call.ts';
import type { Dispatcher } from '../toolkit/dispatch.ts';
import { withIds } from '../toolkit/input/named-ids.ts';
import { readsOf } from '../toolkit/input/reads.ts';
import type { Tool } from '../toolkit/tool.ts';
import { textsInPath, type Decoder } from './decode.ts';
import type { RouteTarget } from './routes.ts';

interface Deps extends Pick<Call, 'profile'> {
  dispatcher: Dispatcher;
}

export async function withNames(
  { dispatcher, profile }: Deps,
  error: unknown,
  { operation, args, caller, requestId }: Pick<Call, 'operation' | 'args' | 'caller' | 'requestId'>,
): Promise<unknown> {
  const read = readsOf({ dispatcher, caller, via: 'rest', profile, requestId });
  return (await withIds(error, { name: operation, args: (args ?? {}) as Record<string, unknown> }, read)).error;
}

/** `unknown` is the refusal of the path, which has a text in the place of an id of `meant`. */
export async function withNamesInPath(
  deps: Deps,
  unknown: AppError,
  { target: { tool, decoder }, values }: RouteTarget<{ tool: Tool; decoder: Decoder }>,
  call: Pick<Call, 'caller' | 'requestId'>,
): Promise<unknown> {
  const { args, issues } = textsInPath(decoder, values);
  const named = await withNames(deps, invalidInput(issues), { ...call, operation: tool.name, args });
  if (!(named instanceof AppError)) return named;
  const { errors = [], facts } = named.extras;
  if (facts === undefined && errors.every(({ meant }) => meant === undefined)) return unknown;
  const found = errors.map(({ field, message }) => `${field} ${message.replace(/\.$/u, '')}`).join('; ');
  return new AppError(unknown.code, `${unknown.message} In this path ${found}.`, {
    errors,
    ...(facts && { facts }),
    remedy: 'Send the id of the row that is meant.',
  });
}
