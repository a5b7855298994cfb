import { z } from 'zod/v3';
import { ACTIONS, actionFields } from '../domain/shapes/schedules/planned-action.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { aheadOf, plannedActionResource, sweepActions } from '../domain/rules/schedules/planned-action.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, presentIn } from '../toolkit/crud.ts';
import { actionAnswer, assertPlanned } from '../toolkit/subjects/planned-action.ts';
import { defineTool } from '../toolkit/tool.ts';

export const addLivestreamAction = defineTool({
  name: 'addLivestreamAction',
  summary: 'Add a planned action: one command on a Live stream that is carried out at an instant.',
  description:
    'Use it for what shall happen once by itself: a logo at 20:15, an ad break, a stop. The payload is checked now. At its time it does what ' +
    'the operation would do then: most need a Live stream on air, else the action fails and the event log says why. Starts and stops that ' +
    'repeat: addSchedule.',
  tag: 'Planned actions',
  aliases: [
    'timer',
    'plan a change',
    'do it later',
    'at a set time',
    'delayed command',
    'timed cue',
    'automation',
    'queue a command',
  ],
  rest: 'POST /livestreams/{livestreamId}/actions',
  access: 'operator',
  effect: 'create',
  input: z
    .object({ livestreamId: reference('Live stream'), ...actionFields, payload: actionFields.payload.default({}) })
    .strict(),
  output: actionAnswer,
  handle: ({ clock, caller, commit, request }, { livestreamId, ...plan }) => {
    request.rights.assertMayCall(ACTIONS[plan.type].operation);
    return commit((tx, now) => {
      const livestream = assertRow(tx, livestreamResource, livestreamId, undefined);
      const execute_at = aheadOf(clock.now(), plan.type, plan.execute_at);
      assertPlanned(tx, livestream, plan);
      sweepActions(tx, clock.now());
      const stamps = { created_at: now, updated_at: now, created_by: caller.username };
      const state = { status: 'pending', error: null } as const;
      const row = tx.insert('plannedActions', { ...stamps, livestreamId, ...plan, execute_at, ...state });
      return presentIn(tx, plannedActionResource, row);
    });
  },
});
