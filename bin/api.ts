/** A call of the CLI with arguments that a person has typed: those that become part of its address are checked before. */
import type { OperationId } from '../client/request.ts';
import { invalidInput } from '../domain/base/errors.ts';
import { parseInput } from '../toolkit/input/input.ts';
import { routeOf, type Tool } from '../toolkit/tool.ts';
import { sendCall, type Arguments, type CallOptions } from './client/call.ts';
import type { Target } from './settings/credentials.ts';

/** Answers and rejects as sendCall does; rejects with AppError invalid_input before anything is sent. */
export async function callOperation(
  target: Target,
  tool: Tool,
  args: Arguments,
  options: CallOptions = {},
): Promise<unknown> {
  const { params } = routeOf(tool);
  // A wrong parameter would make another address, and the answer would be about that address.
  const mask = Object.fromEntries(params.map((name) => [name, true as const]));
  parseInput(
    tool.input.pick(mask),
    Object.fromEntries(params.map((name) => [name, args[name] === '' ? undefined : args[name]])),
  );
  assertIds(params, args);
  return sendCall(target, tool.name as OperationId, args, options);
}

/** A number that JSON cannot hold has become another number by now. Throws AppError invalid_input. */
function assertIds(params: readonly string[], args: Arguments): void {
  const max = Number.MAX_SAFE_INTEGER;
  const issues = params
    .filter((name) => typeof args[name] === 'number' && args[name] > max)
    .map((field) => ({
      field,
      code: 'too_large',
      message: `is no id; ids are positive integers up to ${max}`,
      max,
    }));
  if (issues.length > 0) throw invalidInput(issues);
}
