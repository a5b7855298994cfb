import { z } from 'zod/v3';
import { ACTIONS, actionFields } from '../domain/shapes/schedules/planned-action.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { plannedActionResource, sweepActions, timedBy } from '../domain/rules/schedules/planned-action.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, presentIn } from '../toolkit/crud.ts';
import { actionAnswer, assertPlanned } from '../toolkit/subjects/planned-action.ts';
import { defineTool } from '../toolkit/tool.ts';

export const addLivestreamAction = defineTool({
  name: 'addLivestreamAction',
  summary: 'Add a planned action: one command on a Live stream at an instant, or at each occurrence of a Schedule.',
  description:
    'Use it for what shall happen by itself: a logo at 20:15, an ad break, a stop; once (execute_at), or at each occurrence of a Schedule ' +
    '(scheduleId and at), with which it moves and is skipped. The payload is checked now. At its time it does what ' +
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
  handle: ({ clock, caller, commit, request }, { livestreamId, execute_at, scheduleId, at, ...plan }) => {
    request.rights.assertMayCall(ACTIONS[plan.type].operation);
    return commit((tx, now) => {
      const livestream = assertRow(tx, livestreamResource, livestreamId, undefined);
      const stamps = { created_at: now, updated_at: now, created_by: caller.username };
      const state = { status: 'pending', error: null, execute_at: null } as const;
      const draft = { ...stamps, livestreamId, ...plan, ...state };
      const planned = timedBy(tx, draft, { execute_at, scheduleId, at }, clock.now());
      assertPlanned(tx, livestream, plan);
      sweepActions(tx, clock.now());
      return presentIn(tx, plannedActionResource, tx.insert('plannedActions', planned));
    });
  },
});
