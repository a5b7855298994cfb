import { plannedActionResource } from '../domain/rules/schedules/planned-action.ts';
import { getTool } from '../toolkit/crud.ts';

export const getPlannedAction = getTool(
  {
    name: 'getPlannedAction',
    summary: 'Show one planned action with its payload and what came of it.',
    description:
      'Use it when the id is known: what is done when, whether it is pending, disabled, executed, failed or cancelled, and why it failed. ' +
      'To find one use getLivestreamActions or getAllPlannedActions.',
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
  },
  plannedActionResource,
);
