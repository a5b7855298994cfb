/** The shared parts of the operations on a broadcast on air: their answer, and the way from a body to it. */
import { z } from 'zod/v3';
import { livestreamStatusOutput } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { LiveChange } from '../../domain/shapes/changes/live-change.ts';
import { dataOf } from '../output/page.ts';
import type { Answer, ToolContext } from '../tool.ts';

export const liveOutput = dataOf(
  livestreamStatusOutput
    .extend({ notes: z.array(z.string()).describe('What to know beside it, a sentence each; mostly none.') })
    .strict(),
);

/** Answers the encoder's status once the change is in force. Throws AppError as Control.changeLive does. */
export function applyLive(
  ctx: Pick<ToolContext, 'caller' | 'control' | 'commit' | 'request'>,
  livestreamId: number,
  change: LiveChange,
): Promise<Answer<z.infer<typeof liveOutput>>> {
  return ctx.control.changeLive(
    livestreamId,
    { ...change, by: ctx.caller.username },
    ({ status, notes, settle }) =>
      ctx.commit((tx) => {
        settle(tx);
        return { body: { data: { ...status, notes } } };
      }),
    ctx.request.changeId,
    ctx.request.ahead,
  );
}
