/** The wait for what becomes of a set-up: it comes on air, or it is taken back whole. */
import { AppError } from '../../domain/errors.ts';
import type { Livestream } from '../../domain/livestream.ts';
import type { Run } from '../../domain/run.ts';
import { say, sentence } from '../sentence.ts';
import type { ToolContext } from '../tool.ts';
import { answerOf, failureOf, type SetUpAnswer } from './set-up-answer.ts';
import { waitForRun } from './workflow.ts';

/** The Device ends the processes of a failed start within this, and the rows go with them. */
const TAKE_BACK_MS = 15_000;

/** The set-up that an earlier call under the same Idempotency-Key has made: its server was killed before it could answer. */
export async function findSetUp(ctx: ToolContext): Promise<number | undefined> {
  const { changeId } = ctx.request;
  if (changeId === undefined) return undefined;
  const { rows } = await ctx.store.find('runs', {});
  return rows.find(({ setUp }) => setUp?.changeId === changeId)?.id;
}

/**
 * Answers once the Live stream is on air, or when the seconds are over. Throws AppError upstream_failed with the reason of a failed start
 * once everything is taken back, and conflict when somebody has stopped it.
 */
export async function waitForSetUp(ctx: ToolContext, livestreamId: number, seconds: number): Promise<SetUpAnswer> {
  const stream = (await ctx.store.get('livestreams', livestreamId))?.row;
  if (stream === undefined) throw failureOf('start_livestream', await reasonOf(ctx, livestreamId, undefined));
  const starting = sentence`${say(stream.name)} is starting.`;
  const run = await waitForRun(ctx, livestreamId, [0, 2, 3], seconds, starting);
  if (run?.setUp !== undefined && (run.status === 1 || run.status === 2)) {
    const { made } = run.setUp;
    return ctx.store.view((view) => answerOf(ctx, view, stream, made, false));
  }
  await ctx.control.waitFor(livestreamId, [0], TAKE_BACK_MS, ctx.signal);
  throw failureOf('start_livestream', await reasonOf(ctx, livestreamId, stream, run));
}

/** The rows may be gone by now, and the event log is not. */
async function reasonOf(
  { store }: ToolContext,
  livestreamId: number,
  stream: Readonly<Livestream> | undefined,
  run?: Readonly<Run>,
): Promise<AppError> {
  const where = { livestreamId, kind: 'start_failed' };
  const [event] = (await store.find('events', { where, sort: { field: 'id', descending: true }, limit: 1 })).rows;
  const name = say(stream?.name ?? 'It');
  if (event === undefined) {
    const { text, names } = sentence`${name} was stopped by another caller while it was starting.`;
    return new AppError('conflict', text, { names, remedy: 'Set it up again if it should be on air.' });
  }
  const { text, names } = sentence`${name} did not go on air.`;
  const upstream = run?.errorstatus ?? event.message.replace(/^The start failed: /u, '');
  const remedy = 'See what the answer quotes, check that the source can be reached and sends, then set it up again.';
  return new AppError('upstream_failed', text, { names, remedy, upstream });
}
