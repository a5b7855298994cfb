import { scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { getTool } from '../toolkit/crud.ts';

export const getScheduleById = getTool(
  {
    name: 'getScheduleById',
    summary:
      'Show one Schedule: its Live stream, first start and end, recurrence, time zone, and whether it is paused.',
    description:
      'Use it before a change of a Schedule. start and end are those of the first occurrence; when the next ones are, and what became of ' +
      'those before, is told by getScheduleOccurrences.',
    tag: 'Schedules',
    aliases: ['schedule details', 'series', 'booking', 'when does it start', 'recurrence rule'],
    rest: 'GET /schedules/{scheduleId}',
    access: 'operator',
  },
  scheduleResource,
);
