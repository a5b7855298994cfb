/** A whole broadcast in one commit: what its plan names is made, and the start is ordered with it. */
import type { Channel } from '../../../domain/shapes/sources/channel.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { SourceProbe } from '../../../domain/shapes/sources/probe.ts';
import { probeText } from '../../../domain/rules/sources/probe-text.ts';
import { SCHEDULED_OPERATIONS } from '../../../domain/shapes/schedules/schedule.ts';
import type { SetUpRows } from '../../../domain/shapes/broadcasts/set-up.ts';
import type { Tx } from '../../../domain/ports/store.ts';
import type { ToolContext } from '../../tool.ts';
import { keepFile } from '../new-asset.ts';
import { answerOf, startFailure, type SetUpAnswer } from './answer.ts';
import { inStep } from './steps.ts';
import { isStarted, operationsOf, planOf, type SetUpInput, type SetUpPlan } from './plan.ts';
import { assertNameFree, makeRows } from './rows.ts';
import { isPushed } from '../../../domain/types/channel-questions.ts';

/**
 * Makes everything and orders the start. With dry_run the commit is one that is taken back, and a look at the source. Throws the AppError of the step that fails; a
 * start that is refused is none, and what was made stays.
 */
export async function orderSetUp(ctx: ToolContext, input: SetUpInput, isLookWanted: boolean): Promise<SetUpAnswer> {
  const operations = operationsOf(ctx, input);
  ctx.request.rights.assertMayCall(...operations);
  if (operations.includes('addSchedule')) ctx.request.rights.assertMayCall(...SCHEDULED_OPERATIONS);
  const { name } = input;
  // Before a file is received for nothing; the commit sees whether it is still so.
  if (name !== undefined)
    await inStep('addLivestream', () => ctx.store.view((view) => assertNameFree(view, name, isStarted(input))));
  const plan = await planOf(ctx, input);
  let refusal: AppError | undefined;
  const commit = (): Promise<SetUpAnswer> =>
    ctx.commit((tx, now) => {
      const { made, livestreamId } = makeRows(ctx, tx, now, plan);
      if (plan.start) refusal = orderStart(ctx, tx, now, { livestreamId, made, plan });
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

/** A machine with too few cores for the whole usual ladder starts with less of it, where that helps. Answers why the start is refused. */
function orderStart(
  ctx: ToolContext,
  tx: Tx,
  now: string,
  { livestreamId, made, plan }: { livestreamId: number; made: SetUpRows; plan: SetUpPlan },
): AppError | undefined {
  const isTooMuch = (): boolean => {
    const { reasons } = ctx.control.checkStart(tx, livestreamId, {});
    return reasons.length > 0 && reasons.every(({ code }) => code === 'no_capacity');
  };
  if (plan.mayShrink) shrinkLadder(tx, made, isTooMuch);
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

/** A Device that takes nothing at all, such as one that falls behind, leaves the ladder whole. */
function shrinkLadder(tx: Tx, made: SetUpRows, isTooMuch: () => boolean): void {
  const whole = made.encodingIds;
  const use = (elements: number[]): void =>
    tx.put('encodingGroups', { ...tx.get('encodingGroups', made.encodingGroupId!)!, elements });
  let elements = whole;
  while (elements.length > 1 && isTooMuch()) use((elements = elements.slice(1)));
  if (elements.length === whole.length) return;
  if (isTooMuch()) return use(whole);
  for (const largest of whole.slice(0, -elements.length)) tx.delete('encodings', largest);
  made.encodingIds = elements;
}

type NewSource = Pick<Channel, 'type' | 'settings'>;

/**
 * Answers what comes from the source; a source that is silent now may come later, so that it is no failure. Nothing is looked at for a
 * caller who may not call probeChannel. A file that is sent is looked at where it is received.
 */
async function lookAt(
  ctx: ToolContext,
  { name, source, deviceId, file }: SetUpPlan,
): Promise<SetUpAnswer['body']['data']['source']> {
  if (file !== undefined || 'ingest' in source) return null;
  if (!('channelId' in source) && isPushed(source)) return null;
  try {
    ctx.request.rights.assertMayCall('probeChannel');
    const probe = await probeOf(ctx, { name, source, deviceId });
    return { message: `It sends ${probeText(probe)}.`, probe };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'forbidden' ? null : { message: error.message, probe: null };
  }
}

function probeOf(
  { control }: ToolContext,
  { name, source, deviceId }: { name: string; source: { channelId: number } | NewSource; deviceId: number | undefined },
): Promise<SourceProbe> {
  if ('channelId' in source) return control.probeChannel(source.channelId);
  return control.probeSource({ name, ...source, deviceId: deviceId ?? null });
}
