import { z } from 'zod/v3';
import { assertPending, plannedActionResource } from '../domain/rules/schedules/planned-action.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const deletePlannedAction = defineTool({
  name: 'deletePlannedAction',
  summary: 'Delete a planned action, whatever came of it.',
  description:
    'Use it to take an action off the plan for good, or to clear away one that is over; the event log keeps what was done. Refused ' +
    '(conflict) while it is being carried out. To set it aside and keep it use disablePlannedAction.',
  tag: 'Planned actions',
  aliases: ['remove timer', 'cancel planned change', 'drop action', 'do not do it', 'unplan', 'clear action'],
  rest: 'DELETE /plannedActions/{actionId}',
  access: 'operator',
  effect: 'delete',
  input: z.object({ actionId: reference('Planned action') }).strict(),
  output: deletedOutput,
  handle: ({ clock, commit, request }, { actionId }) =>
    commit((tx) => {
      const action = assertRow(tx, plannedActionResource, actionId, request.expectedVersions);
      if (action.status === 'pending') assertPending(action, clock.now());
      tx.delete('plannedActions', actionId);
      return { body: { data: { id: actionId, deleted: true as const } } };
    }),
});
