import { z } from 'zod/v3';
import { draftSchedule, scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { scheduleCreate, scheduleOutput, SCHEDULED_OPERATIONS } from '../domain/shapes/schedules/schedule.ts';
import { timesNeeded } from '../domain/shapes/schedules/schedule-times.ts';
import { presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const addSchedule = defineTool({
  name: 'addSchedule',
  summary: 'Create a Schedule: a Live stream starts and stops by the clock, once or again and again.',
  description:
    'Use it to plan a broadcast or a series; the workflow schedule_livestream takes names and local times. A recurrence keeps the wall clock ' +
    'of its timezone. A start up to 10 minutes past begins at once. Refused (conflict) when another enabled Schedule wants the Live stream ' +
    'then. For one command use addLivestreamAction.',
  tag: 'Schedules',
  aliases: [
    'book',
    'plan a broadcast',
    'series',
    'recurring show',
    'every weekday',
    'calendar entry',
    'go live later',
    'timer',
  ],
  rest: 'POST /schedules',
  access: 'operator',
  effect: 'create',
  input: z.object(scheduleCreate).strict(),
  output: dataOf(scheduleOutput),
  handle: (ctx, fields) => {
    ctx.request.rights.assertMayCall(...SCHEDULED_OPERATIONS);
    return ctx.commit((tx, now) => {
      const { timezone } = ctx.control;
      const created_by = ctx.caller.username;
      const row = draftSchedule(tx, timesNeeded(fields), { now, timezone, created_by });
      return presentIn(tx, scheduleResource, tx.insert('schedules', row));
    });
  },
});
