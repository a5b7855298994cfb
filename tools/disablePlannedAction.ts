import { z } from 'zod/v3';
import { assertPending } from '../domain/rules/schedules/planned-action.ts';
import { reference } from '../domain/base/schema.ts';
import { actionAnswer, editAction } from '../toolkit/subjects/planned-action.ts';
import { defineTool } from '../toolkit/tool.ts';

export const disablePlannedAction = defineTool({
  name: 'disablePlannedAction',
  summary: 'Set a pending planned action aside: it is kept, but not carried out.',
  description:
    'Use it to hold an action back without losing it; enablePlannedAction re-arms it as long as its time is ahead. Refused (wrong_state) ' +
    'unless it is pending. To remove it for good use deletePlannedAction.',
  tag: 'Planned actions',
  aliases: ['suspend', 'hold', 'pause timer', 'switch action off', 'disarm', 'put on hold'],
  rest: 'POST /plannedActions/{actionId}/disable',
  access: 'operator',
  effect: 'update',
  input: z.object({ actionId: reference('Planned action') }).strict(),
  output: actionAnswer,
  handle: (ctx, { actionId }) =>
    editAction(ctx, actionId, (action, nowMs) => {
      assertPending(action, nowMs);
      return { ...action, status: 'disabled' };
    }),
});
