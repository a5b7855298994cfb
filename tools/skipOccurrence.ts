import { z } from 'zod/v3';
import { addSkip, presentSkip } from '../domain/rules/schedules/schedule-skips.ts';
import { scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { skipOutput } from '../domain/shapes/schedules/schedule.ts';
import { instantInput } from '../domain/time/instant.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const skipOccurrence = defineTool({
  name: 'skipOccurrence',
  summary: 'Skip one occurrence of a recurring Schedule; the series goes on with the next one.',
  description:
    'Use it for a holiday or to make room for something else. occurrence_start is the start that getScheduleOccurrences tells. The one on air ' +
    'is skipped only with confirmStopLive: true, which takes the Live stream off air. restoreSkip takes it back while its time is not over. ' +
    'To pause the whole Schedule use updateSchedule.',
  tag: 'Schedules',
  aliases: ['cancel one', 'leave out', 'holiday', 'not this week', 'drop tonight', 'exception', 'occurrence'],
  rest: 'POST /schedules/{scheduleId}/skips',
  access: 'operator',
  effect: 'create',
  input: z
    .object({
      scheduleId: reference('Schedule'),
      occurrence_start: instantInput('Start of the occurrence to leave out.', 'the Schedule'),
      confirmStopLive: z.boolean().default(false).describe('true: also if it is on air, which ends it.'),
    })
    .strict(),
  output: dataOf(skipOutput),
  handle: (ctx, { scheduleId, occurrence_start, confirmStopLive }) =>
    ctx.commit((tx, now) => {
      const schedule = assertRow(tx, scheduleResource, scheduleId, undefined);
      const { username } = ctx.caller;
      const request = { now, created_by: username, confirmStopLive };
      const { skip, isLive } = addSkip(tx, schedule, Date.parse(occurrence_start), request);
      if (isLive) {
        ctx.request.rights.assertMayCall('stopLivestream');
        ctx.control.orderStop(tx, now, schedule.livestreamId, { username });
      }
      return { body: { data: presentSkip(skip) }, version: tx.version('scheduleSkips', skip.id) };
    }),
});
