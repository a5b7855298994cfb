import { z } from 'zod/v3';
import { plannedActionResource } from '../domain/rules/schedules/planned-action.ts';
import { idField } from '../domain/base/schema.ts';
import { actionFilters, actionList, listActions } from '../toolkit/subjects/planned-action.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getAllPlannedActions = defineTool({
  name: 'getAllPlannedActions',
  summary: 'List the planned actions of all Live streams, by time window and status.',
  description:
    'Use it to see what will happen by itself in the next hours, or which planned actions failed last night. In the order of ' +
    'planning; sort=execute_at brings them in the order of time. from and to bound the time, to not included. Those of deleted Live ' +
    'streams stay, as cancelled. For one Live stream alone use getLivestreamActions.',
  tag: 'Planned actions',
  aliases: [
    'timers',
    'all timed commands',
    'upcoming actions',
    'pending actions',
    'failed actions',
    'run sheet',
    'queue',
  ],
  rest: 'GET /plannedActions',
  access: 'operator',
  effect: 'read',
  input: z
    .object({ livestreamId: idField.optional().describe('Only those of this Live stream.'), ...actionFilters })
    .strict(),
  output: actionList,
  shortFields: plannedActionResource.shortFields,
  handle: (ctx, input) => listActions(ctx, input),
});
