import { z } from 'zod/v3';
import { endSeries, scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { scheduleOutput } from '../domain/shapes/schedules/schedule.ts';
import { instantInput } from '../domain/time/instant.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const patchScheduleUntil = defineTool({
  name: 'patchScheduleUntil',
  summary: 'Set until when a recurring Schedule goes on: from that instant onward it has no occurrences.',
  description:
    'Use it to end a series, for example after the last show of a season. Occurrences that would begin at until or later do not happen; the one ' +
    'on air goes on to its end. To take the end of a series away again use updateSchedule (recurrence.until null), to have none of it at all deleteSchedule.',
  tag: 'Schedules',
  aliases: ['end series', 'last show', 'finish season', 'stop repeating', 'until', 'expire'],
  rest: 'PATCH /schedules/{scheduleId}/until',
  access: 'operator',
  effect: 'update',
  input: z
    .object({
      scheduleId: reference('Schedule'),
      until: instantInput('Occurrences from then onward do not happen.', 'the Schedule'),
    })
    .strict(),
  output: dataOf(scheduleOutput),
  handle: (ctx, { scheduleId, until }) =>
    ctx.commit((tx, now) => {
      const present = assertRow(tx, scheduleResource, scheduleId, ctx.request.expectedVersions);
      const by = { now, timezone: ctx.control.timezone, username: ctx.caller.username };
      return presentIn(tx, scheduleResource, endSeries(tx, present, until, by));
    }),
});
