import { z } from 'zod/v3';
import { openFirings, runOf } from '../domain/rules/schedules/schedule-firings.ts';
import { removeSchedule, switchDestinationsOff } from '../domain/rules/schedules/schedule-removal.ts';
import { scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const deleteSchedule = defineTool({
  name: 'deleteSchedule',
  summary: 'Delete a Schedule with all its future occurrences; what it has on air is stopped.',
  description:
    'Use it when nothing of it shall happen any more. If it is on air, the Live stream is stopped and its Destinations are switched off: the ' +
    'next start has to switch them on in startConfig. To pause it use updateSchedule with enabled: false; to leave out one occurrence ' +
    'skipOccurrence; to end a series at a date patchScheduleUntil.',
  tag: 'Schedules',
  aliases: ['cancel', 'series', 'remove booking', 'call off', 'drop from calendar'],
  rest: 'DELETE /schedules/{scheduleId}',
  access: 'operator',
  effect: 'delete',
  input: z.object({ scheduleId: reference('Schedule') }).strict(),
  output: deletedOutput,
  handle: (ctx, { scheduleId: id }) =>
    ctx.commit((tx, now) => {
      const present = assertRow(tx, scheduleResource, id, ctx.request.expectedVersions);
      const { username } = ctx.caller;
      for (const firing of openFirings(tx, { scheduleId: id })) {
        if (runOf(tx, firing) === undefined) continue;
        ctx.request.rights.assertMayCall('stopLivestream');
        ctx.control.orderStop(tx, now, firing.livestreamId, { username });
        switchDestinationsOff(tx, present, firing.livestreamId, { now, username });
      }
      removeSchedule(tx, present, now);
      return { body: { data: { id, deleted: true as const } } };
    }),
});
