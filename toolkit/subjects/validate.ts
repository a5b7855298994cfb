/** The factory of the tools that try stored credentials out against the other side and keep what was found. */
import { z } from 'zod/v3';
import { AppError } from '../../domain/errors.ts';
import type { CollectionRows } from '../../domain/collections.ts';
import type { Resource } from '../../domain/resource.ts';
import { idField } from '../../domain/schema.ts';
import type { Finding, Validation } from '../../domain/validation.ts';
import { assertRow, presentIn, type Declaration } from '../crud.ts';
import { dataOf } from '../output/page.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

/** Below the half minute after which most callers give up; above a slow sign-in over a long line. */
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
  /** The row with what was found. Throws AppError conflict when it no longer has the settings that were tried. */
  keep: (
    present: Readonly<CollectionRows[C]>,
    tried: Readonly<CollectionRows[C]>,
    finding: F | Finding,
    now: string,
  ) => CollectionRows[C];
  /** Left out: 15 s. */
  boundMs?: number;
}

/** Both outcomes are answers: the call succeeds when the check could be made. */
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

/** Throws AppError timeout when the caller has gone; running into our own bound is a finding. */
async function findingOf<F extends Finding>(
  check: (signal: AbortSignal) => Promise<F>,
  caller: AbortSignal,
  boundMs: number,
): Promise<F | Finding> {
  const bound = AbortSignal.timeout(boundMs);
  try {
    const signal = AbortSignal.any([caller, bound]);
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

/** Not every protocol's library lets go when it is told to. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
