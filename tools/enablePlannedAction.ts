import { z } from 'zod/v3';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { rearmed } from '../domain/rules/schedules/planned-action.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { actionAnswer, assertPlanned, editAction } from '../toolkit/subjects/planned-action.ts';
import { defineTool } from '../toolkit/tool.ts';

export const enablePlannedAction = defineTool({
  name: 'enablePlannedAction',
  summary: 'Set a disabled planned action to pending again, so that it is carried out.',
  description:
    'Use it to re-arm an action that disablePlannedAction has set aside. Its time must be ahead still (422): one that fell due while it was ' +
    'disabled is never done, plan it anew. What it names must still be there (422). Refused (wrong_state) unless it is disabled.',
  tag: 'Planned actions',
  aliases: ['re-arm', 'resume timer', 'reactivate', 'switch action on', 'arm again', 'unpause'],
  rest: 'POST /plannedActions/{actionId}/enable',
  access: 'operator',
  effect: 'update',
  input: z.object({ actionId: reference('Planned action') }).strict(),
  output: actionAnswer,
  handle: (ctx, { actionId }) =>
    editAction(ctx, actionId, (action, nowMs, tx) => {
      const row = rearmed(tx, action, nowMs);
      // The rows that the action names may have been deleted while it was disabled.
      assertPlanned(tx, assertRow(tx, livestreamResource, action.livestreamId, undefined), row);
      return row;
    }),
});
