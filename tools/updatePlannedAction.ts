import { z } from 'zod/v3';
import { actionFields } from '../domain/shapes/schedules/planned-action.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { assertPending, timedBy } from '../domain/rules/schedules/planned-action.ts';
import { reference, toPartial } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { actionAnswer, assertPlanned, editAction } from '../toolkit/subjects/planned-action.ts';
import { defineTool } from '../toolkit/tool.ts';

export const updatePlannedAction = defineTool({
  name: 'updatePlannedAction',
  summary: 'Change a pending planned action: its time, its type or what it does.',
  description:
    'Use it to move an action or to correct it; only the fields sent change, the payload as a whole. Refused (wrong_state) unless it is ' +
    'pending: enable a disabled one first. To keep it from being done use disablePlannedAction.',
  tag: 'Planned actions',
  aliases: ['move timer', 'change time', 'postpone', 'reschedule the change', 'edit planned change', 'bring forward'],
  rest: 'PUT /plannedActions/{actionId}',
  access: 'operator',
  effect: 'update',
  input: z.object({ actionId: reference('Planned action'), ...toPartial(actionFields).shape }).strict(),
  output: actionAnswer,
  handle: (ctx, { actionId, type, payload, ...when }) =>
    editAction(ctx, actionId, (action, nowMs, tx) => {
      assertPending(action, nowMs);
      const row = timedBy(
        tx,
        { ...action, type: type ?? action.type, payload: payload ?? action.payload },
        when,
        nowMs,
      );
      assertPlanned(tx, assertRow(tx, livestreamResource, action.livestreamId, undefined), row);
      return row;
    }),
});
