/** The wait for what becomes of the start of a set-up; what was made stays either way. */
import { AppError } from '../../../domain/base/errors.ts';
import type { Run } from '../../../domain/shapes/broadcasts/run.ts';
import { say, sentence } from '../../sentence.ts';
import type { ToolContext } from '../../tool.ts';
import { answerOf, startFailure, type SetUpAnswer } from './answer.ts';
import { waitForRun } from '../workflow.ts';

/** The set-up that an earlier call under the same Idempotency-Key has made: its server was killed before it could answer. */
export async function findSetUp(ctx: ToolContext): Promise<number | undefined> {
  const { changeId } = ctx.request;
  if (changeId === undefined) return undefined;
  const { rows } = await ctx.store.find('runs', {});
  return rows.find(({ setUp }) => setUp?.changeId === changeId)?.id;
}

/**
 * Answers once the Live stream is on air, or when the seconds are over. Throws AppError upstream_failed with the reason of a failed start,
 * and conflict when somebody has stopped or deleted it.
 */
export async function waitForSetUp(ctx: ToolContext, livestreamId: number, seconds: number): Promise<SetUpAnswer> {
  const stream = (await ctx.store.get('livestreams', livestreamId))?.row;
  const name = stream === undefined ? 'The Live stream' : say(stream.name);
  const run = await waitForRun(ctx, livestreamId, [0, 2, 3], seconds, sentence`${name} is starting.`);
  const made = run?.setUp?.made;
  if (stream === undefined || run === undefined || made === undefined) throw stopped();
  const start = run.status === 1 || run.status === 2 ? 'ordered' : await reasonOf(ctx, run);
  const answer = await ctx.store.view((view) => answerOf(ctx, view, stream, made, { isTrial: false, start }));
  if (start === 'ordered') return answer;
  throw startFailure(answer, start);
}

function stopped(): AppError {
  return new AppError('conflict', 'It was stopped by another caller while it was starting.', {
    remedy: 'Start it with start_livestream if it should be on air.',
  });
}

async function reasonOf({ store }: ToolContext, { id, status, runId, errorstatus }: Readonly<Run>): Promise<AppError> {
  const where = { livestreamId: id, kind: 'start_failed' };
  const [event] = (await store.find('events', { where, sort: { field: 'id', descending: true }, limit: 1 })).rows;
  if (status !== 3 && event?.data['runId'] !== runId) return stopped();
  const upstream = errorstatus ?? event?.message.replace(/^The start failed: /u, '');
  const remedy =
    'See what the answer quotes, check that the source can be reached and sends, then start it with start_livestream.';
  return new AppError('upstream_failed', 'The start failed.', { remedy, ...(upstream !== undefined && { upstream }) });
}
