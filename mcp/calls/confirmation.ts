/** A spoken delete is not done at one word: the caller hears its effect, and sends it again with `confirm`. */
import { AppError } from '../../domain/base/errors.ts';
import { needsConfirmation } from '../../profiles/profiles.ts';
import type { Profile } from '../../toolkit/access.ts';
import type { Preview } from '../../toolkit/preview/preview.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { callOf } from './corrections.ts';

const FLAG = 'confirm';

export interface Confirmable {
  name: string;
  args: Record<string, unknown>;
  /** True: it came through call_tool. */
  isInner: boolean;
  /** True: the call only tells what it would do. */
  preview: boolean;
  confirmed: boolean;
}

/**
 * A delete may bring `confirm` among its arguments too, because no delete has such an argument itself. Another value than true is refused
 * like any unknown field.
 */
export function withConfirmation<C extends Confirmable>(call: C, tool: Pick<Tool, 'effect'> | undefined): C {
  if (tool?.effect !== 'delete' || call.args[FLAG] !== true) return call;
  const { [FLAG]: _flag, ...args } = call.args;
  return { ...call, args, confirmed: true };
}

export function isUnconfirmed(
  { preview, confirmed }: Confirmable,
  tool: Pick<Tool, 'name'> | undefined,
  profile: Profile,
): boolean {
  return tool !== undefined && profile.spoken && needsConfirmation(tool) && !preview && !confirmed;
}

/** `preview` is the reply to the same call as a trial, which shows that it could be done; `names` stand in it. */
export function confirmationRequired(
  { name, args, isInner }: Confirmable,
  { changes, notes, effect }: Preview,
  names: readonly string[],
): AppError {
  const corrected_call = isInner
    ? { ...callOf({ name, isInner }, args), [FLAG]: true }
    : callOf({ name, isInner }, { ...args, [FLAG]: true });
  const detail = [effect, ...notes, `To do it, send ${name} again with ${FLAG}: true.`].join(' ');
  return new AppError('confirmation_required', detail, { facts: { flag: FLAG, changes, corrected_call }, names });
}
