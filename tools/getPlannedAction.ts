import { z } from 'zod/v3';
import { plannedActionResource } from '../domain/rules/schedules/planned-action.ts';
import { instantInput } from '../domain/time/instant.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { actionRead, withRuns } from '../toolkit/subjects/planned-action.ts';
import { runsOf, runsWindow } from '../toolkit/subjects/planned-runs.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getPlannedAction = defineTool({
  name: 'getPlannedAction',
  summary: 'Show one planned action with its payload and what came of it.',
  description:
    'Use it when the id is known: what is done when, whether it is pending, disabled, executed, failed or cancelled, and why it failed. ' +
    'One that goes with a Schedule says it for each occurrence from from to to. To find one use getLivestreamActions or getAllPlannedActions.',
  tag: 'Planned actions',
  aliases: [
    'timer',
    'look at timer',
    'planned change',
    'timed command',
    'action details',
    'what happened to the action',
  ],
  rest: 'GET /plannedActions/{actionId}',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      actionId: reference('Planned action'),
      from: instantInput('Begin of runs; left out: now.').optional(),
      to: instantInput('End of runs; left out: 7 days later.').optional(),
    })
    .strict(),
  output: actionRead,
  async handle(ctx, { actionId, from, to }) {
    const { row, version } = await getRow(ctx.store, plannedActionResource, actionId);
    const runs = await runsOf(ctx, [row], runsWindow(ctx.clock.now(), from, to));
    return { body: { data: withRuns(row, runs) }, version };
  },
});
