import { z } from 'zod/v3';
import { changeSchedule, scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { scheduleCreate, scheduleOutput, SCHEDULED_OPERATIONS } from '../domain/shapes/schedules/schedule.ts';
import { timesSent } from '../domain/shapes/schedules/schedule-times.ts';
import { reference, toPartial } from '../domain/base/schema.ts';
import { assertRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { assertVisibleNames } from '../toolkit/input/new-name.ts';
import { defineTool } from '../toolkit/tool.ts';

export const updateSchedule = defineTool({
  name: 'updateSchedule',
  summary: 'Change a Schedule: its times, recurrence or Device group; or pause and resume it with enabled.',
  description:
    'Use enabled: false to pause (nothing of it starts; what is on air goes on to its end) and true to resume. ' +
    'While it is on air its end may be moved, another Live stream may not be bound (wrong_state). To leave out one occurrence use ' +
    'skipOccurrence, to end a series patchScheduleUntil.',
  tag: 'Schedules',
  aliases: [
    'pause',
    'resume',
    'enable',
    'disable',
    'reschedule',
    'move',
    'extend',
    'overrun',
    'later',
    'earlier',
    'series',
  ],
  rest: 'PUT /schedules/{scheduleId}',
  access: 'operator',
  effect: 'update',
  input: z.object({ scheduleId: reference('Schedule'), ...toPartial(scheduleCreate).shape }).strict(),
  output: dataOf(scheduleOutput),
  handle: (ctx, { scheduleId, ...patch }) =>
    ctx.commit((tx, now) => {
      const present = assertRow(tx, scheduleResource, scheduleId, ctx.request.expectedVersions);
      assertVisibleNames(patch, { ...present });
      const by = { now, timezone: ctx.control.timezone, username: ctx.caller.username };
      const row = changeSchedule(tx, present, timesSent(patch), by);
      if (row.enabled) ctx.request.rights.assertMayCall(...SCHEDULED_OPERATIONS);
      return presentIn(tx, scheduleResource, row);
    }),
});
