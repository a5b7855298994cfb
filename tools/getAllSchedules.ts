import { scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllSchedules = listTool(
  {
    name: 'getAllSchedules',
    summary: 'List the Schedules: which Live stream is on air when, once or again and again.',
    description:
      'Use it to find a Schedule by name, Live stream or Device group, or to see which are paused. It lists the rules; for what is on air ' +
      'tonight or next week, skipped or missed, use getScheduleOccurrences.',
    tag: 'Schedules',
    aliases: ['timetable', 'calendar', 'series', 'bookings', 'recurring broadcasts', 'planner', 'rota'],
    rest: 'GET /schedules',
    access: 'operator',
  },
  scheduleResource,
);
