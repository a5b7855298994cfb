import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import {
  occurrencesOf,
  pageOfOccurrences,
  pastQuery,
  windowOf,
  withPast,
} from '../domain/rules/schedules/schedule-occurrences.ts';
import { occurrenceOutput } from '../domain/shapes/schedules/schedule.ts';
import { instantInput, inZone } from '../domain/time/instant.ts';
import { reference } from '../domain/base/schema.ts';
import { listOf, pageBody, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getScheduleOccurrences = defineTool({
  name: 'getScheduleOccurrences',
  summary: 'List the occurrences of Schedules over a window: planned, on air, done, skipped, missed or failed.',
  description:
    'Use it to see what is on tonight, what comes next, or what was missed last week; and for the occurrence_start that skipOccurrence takes. ' +
    'The window is the next 7 days unless from and to say otherwise, at most 366 days; it holds what is on at some time within it, in the ' +
    'order of start. Paused Schedules have nothing planned.',
  tag: 'Schedules',
  aliases: [
    'calendar',
    'what is on',
    'coming up',
    'next airing',
    'tonight',
    'programme guide',
    'agenda',
    'missed broadcasts',
  ],
  rest: 'GET /schedules/occurrences',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: pageFields.search.describe('Substring of the name of the Schedule.'),
      from: instantInput('Begin of the window; left out: now.').optional(),
      to: instantInput('End of the window; left out: 7 days after from.').optional(),
      scheduleId: reference('Schedule').optional(),
      livestreamId: reference('Live stream').optional(),
    })
    .strict(),
  output: listOf(occurrenceOutput.partial()),
  shortFields: ['scheduleId', 'livestreamId', 'start', 'end', 'start_local', 'state'],
  async handle({ store, clock, control }, input) {
    const { sort } = pageQuery(input, ['start', 'end', 'scheduleId', 'livestreamId', 'state']);
    const now = toIso(clock.now());
    const window = windowOf(input, clock.now());
    const present = await store.view((view) => occurrencesOf(view, window, now));
    const past = (await store.find('pastFirings', pastQuery(window))).rows;
    const found = await store.view((view) => withPast(view, present, past, window));
    const rows = await store.view((view) =>
      pageOfOccurrences(found, sort, input).map((row) => {
        const timezone = view.get('schedules', row.scheduleId)?.timezone ?? control.timezone;
        return { ...row, start_local: inZone(row.start, timezone), end_local: inZone(row.end, timezone), timezone };
      }),
    );
    return { body: pageBody(rows, found.length, input) };
  },
});
