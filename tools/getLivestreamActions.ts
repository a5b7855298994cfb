import { z } from 'zod/v3';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { plannedActionResource } from '../domain/rules/schedules/planned-action.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { actionFilters, actionList, listActions } from '../toolkit/subjects/planned-action.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getLivestreamActions = defineTool({
  name: 'getLivestreamActions',
  summary: 'List the planned actions of one Live stream.',
  description:
    'Use it to see what will happen to a broadcast by itself, and what came of it: type, time, status, error. In the order of planning; ' +
    'sort=execute_at brings them in the order of time. Narrow it by status and time. For all Live streams use getAllPlannedActions; starts ' +
    'and stops that repeat are Schedules.',
  tag: 'Planned actions',
  aliases: [
    'timers',
    'cue list',
    'queued commands',
    'planned changes',
    'upcoming actions',
    'run sheet',
    'timed events',
  ],
  rest: 'GET /livestreams/{livestreamId}/actions',
  access: 'operator',
  effect: 'read',
  input: z.object({ livestreamId: reference('Live stream'), ...actionFilters }).strict(),
  output: actionList,
  shortFields: plannedActionResource.shortFields,
  async handle(ctx, input) {
    await getRow(ctx.store, livestreamResource, input.livestreamId);
    return listActions(ctx, input);
  },
});
