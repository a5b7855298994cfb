/** A whole broadcast in one commit: what its plan names is made, and the start is ordered with it. */
import { AppError } from '../../domain/errors.ts';
import type { SetUpRows } from '../../domain/set-up.ts';
import type { Tx } from '../../domain/store.ts';
import type { ToolContext } from '../tool.ts';
import { keepFile } from './new-asset.ts';
import { answerOf, inStep, startFailure, type SetUpAnswer } from './set-up-answer.ts';
import { lookAt } from './set-up-look.ts';
import { operationsOf, planOf, type SetUpInput, type SetUpPlan } from './set-up-plan.ts';
import { makeRows } from './set-up-rows.ts';

/**
 * Makes everything and orders the start. With dry_run the commit is one that is taken back, and a look at the source. Throws the AppError of the step that fails; a
 * start that is refused is none, and what was made stays.
 */
export async function orderSetUp(ctx: ToolContext, input: SetUpInput, isLookWanted: boolean): Promise<SetUpAnswer> {
  ctx.request.rights.assertMayCall(...operationsOf(ctx, input));
  const plan = await planOf(ctx, input);
  let refusal: AppError | undefined;
  const commit = (): Promise<SetUpAnswer> =>
    ctx.commit((tx, now) => {
      const { made, livestreamId } = makeRows(ctx, tx, now, plan);
      if (plan.start) refusal = orderStart(ctx, tx, now, livestreamId, made, plan);
      const start = refusal ?? (plan.start ? 'ordered' : 'unwanted');
      return answerOf(ctx, tx, tx.get('livestreams', livestreamId)!, made, { isTrial: input.dry_run, start });
    });
  const answer = await committed(ctx, plan, commit, input.dry_run);
  if (input.dry_run && isLookWanted) answer.body.data.source = await lookAt(ctx, plan);
  if (refusal !== undefined && !input.dry_run) throw startFailure(answer, refusal);
  return answer;
}

async function committed(
  ctx: ToolContext,
  { file }: SetUpPlan,
  commit: () => Promise<SetUpAnswer>,
  isTrial: boolean,
): Promise<SetUpAnswer> {
  if (file === undefined) return commit();
  if (isTrial) return commit().finally(() => file.received.discard());
  return inStep('uploadAsset', () => keepFile(ctx, file.received, file.names, commit));
}

/** A machine with too few cores for the whole usual ladder starts with less of it. Answers why the start is refused. */
function orderStart(
  ctx: ToolContext,
  tx: Tx,
  now: string,
  livestreamId: number,
  made: SetUpRows,
  { mayShrink }: SetUpPlan,
): AppError | undefined {
  const isTooMuch = (): boolean => {
    const { reasons } = ctx.control.checkStart(tx, livestreamId, {});
    return reasons.length > 0 && reasons.every(({ code }) => code === 'no_capacity');
  };
  while (mayShrink && made.encodingIds.length > 1 && isTooMuch()) {
    const [largest, ...elements] = made.encodingIds as [number, ...number[]];
    tx.put('encodingGroups', { ...tx.get('encodingGroups', made.encodingGroupId)!, elements });
    tx.delete('encodings', largest);
    made.encodingIds = elements;
  }
  try {
    ctx.control.orderStart(tx, now, livestreamId, {}, { username: ctx.caller.username });
  } catch (error) {
    // It is refused before it writes anything.
    if (error instanceof AppError) return error;
    throw error;
  }
  const changeId = ctx.request.changeId ?? null;
  tx.put('runs', { ...tx.get('runs', livestreamId)!, setUp: { changeId, made } });
  return undefined;
}
