/** By voice nothing is deleted at one word: the call is told back with its effect, and done when it comes again with `confirm`. */
import { AppError } from '../../domain/errors.ts';
import { asksBack, isSpoken } from '../../profiles/profiles.ts';
import type { Profile } from '../../toolkit/access.ts';
import type { Preview } from '../../toolkit/preview/preview.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { callOf } from './corrections.ts';

const FLAG = 'confirm';

export interface Confirmable {
  name: string;
  args: Record<string, unknown>;
  /** It came through call_tool. */
  isInner: boolean;
  /** Only tell what the call would do. */
  preview: boolean;
  confirmed: boolean;
}

/** A delete may bring `confirm` among its arguments too, which no delete has itself; another value than true is refused like any unknown field. */
export function withConfirmation<C extends Confirmable>(call: C, tool: Pick<Tool, 'effect'> | undefined): C {
  if (tool?.effect !== 'delete' || call.args[FLAG] !== true) return call;
  const { [FLAG]: _given, ...args } = call.args;
  return { ...call, args, confirmed: true };
}

export function isUnconfirmed(
  { preview, confirmed }: Confirmable,
  tool: Pick<Tool, 'effect' | 'name'> | undefined,
  profile: Profile,
): boolean {
  return tool !== undefined && isSpoken(profile) && asksBack(tool) && !preview && !confirmed;
}

/** `preview` is what the call answers where it is only tried: so it could be done. */
export function confirmationRequired(
  { name, args, isInner }: Confirmable,
  { changes, notes, effect }: Preview,
): AppError {
  const corrected_call = isInner
    ? { ...callOf({ name, isInner }, args), [FLAG]: true }
    : callOf({ name, isInner }, { ...args, [FLAG]: true });
  const detail = [effect, ...notes, `To do it, send ${name} again with ${FLAG}: true.`].join(' ');
  return new AppError('confirmation_required', detail, { facts: { flag: FLAG, changes, corrected_call } });
}
