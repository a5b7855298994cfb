/** The factory of the tools that try stored credentials against the other side and store the finding. */
import { z } from 'zod/v3';
import { anySignal } from '../../domain/base/any-signal.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { CollectionRows } from '../../domain/ports/collections.ts';
import type { Resource } from '../../domain/ports/resource.ts';
import { idField } from '../../domain/base/schema.ts';
import type { Finding, Validation } from '../../domain/base/validation.ts';
import { assertRow, presentIn, type Declaration } from '../crud.ts';
import { dataOf } from '../output/page.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

/** Most callers give up after half a minute, and a slow sign-in over a long connection takes less than this. */
const CHECK_BOUND_MS = 15_000;

type Validated = {
  [C in keyof CollectionRows]: CollectionRows[C] extends Validation ? C : never;
}[keyof CollectionRows];

interface Trial<C extends Validated, F extends Finding> {
  check: (
    integrations: ToolContext['integrations'],
    row: Readonly<CollectionRows[C]>,
    signal: AbortSignal,
  ) => Promise<F>;
  /** The row with the finding. Throws AppError conflict when it no longer has the settings that were tried. */
  keep: (
    present: Readonly<CollectionRows[C]>,
    tried: Readonly<CollectionRows[C]>,
    finding: F | Finding,
    now: string,
  ) => CollectionRows[C];
  /** Left out: 15 s. */
  boundMs?: number;
}

/** Both findings are answers: the call succeeds when the check could be made. */
export function validateTool<C extends Validated, F extends Finding>(
  declaration: Declaration,
  resource: Resource<C>,
  { check, keep, boundMs = CHECK_BOUND_MS }: Trial<C, F>,
): Tool {
  return defineTool({
    ...declaration,
    effect: 'control',
    input: z.object({ [resource.idParam]: idField.describe(`Id of the ${resource.noun}.`) }).strict(),
    output: dataOf(resource.output),
    async handle(ctx, input) {
      const id = input[resource.idParam] as number;
      const { expectedVersions } = ctx.request;
      const tried = await ctx.store.view((view) => assertRow(view, resource, id, expectedVersions));
      const finding = await findingOf((signal) => check(ctx.integrations, tried, signal), ctx.signal, boundMs);
      return ctx.commit((tx, now) => {
        const row = keep(assertRow(tx, resource, id, undefined), tried, finding, now);
        tx.put(resource.collection, row);
        return presentIn(tx, resource, row);
      });
    },
  });
}

/** Throws AppError timeout when the caller has gone. The end of our own time limit is a finding. */
async function findingOf<F extends Finding>(
  check: (signal: AbortSignal) => Promise<F>,
  caller: AbortSignal,
  boundMs: number,
): Promise<F | Finding> {
  const bound = AbortSignal.timeout(boundMs);
  try {
    const signal = anySignal([caller, bound]);
    const finding = await Promise.race([check(signal), ended(signal)]);
    caller.throwIfAborted();
    return finding;
  } catch (cause) {
    if (caller.aborted) {
      throw new AppError(
        'timeout',
        'The call ended before the other side had answered; nothing was stored. Validate it again.',
        { cause },
      );
    }
    if (!bound.aborted) throw cause;
    return { valid: false, reason: `There was no answer within ${boundMs / 1000} s.` };
  }
}

/** The check ends with the signal, because not every protocol's library stops when it is aborted. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
