import { z } from 'zod/v3';
import { presentSkip } from '../domain/rules/schedules/schedule-skips.ts';
import { scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { skipOutput } from '../domain/shapes/schedules/schedule.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const listScheduleSkips = defineTool({
  name: 'listScheduleSkips',
  summary: 'List the skipped occurrences of one Schedule, those of the past too.',
  description:
    'Use it to see which occurrences of a series are left out and by whom, and for the skipId that restoreSkip takes. ' +
    'For everything that is planned use getScheduleOccurrences.',
  tag: 'Schedules',
  aliases: ['exceptions', 'cancelled occurrences', 'left out', 'holidays', 'skipped'],
  rest: 'GET /schedules/{scheduleId}/skips',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      scheduleId: reference('Schedule'),
      ...pageFields,
      search: pageFields.search.describe('Substring of occurrence_start or of the user.'),
    })
    .strict(),
  output: listOf(skipOutput.partial()),
  shortFields: ['skipId', 'occurrence_start'],
  async handle({ store }, input) {
    await getRow(store, scheduleResource, input.scheduleId);
    const query = pageQuery(input, ['occurrence_start'], { scheduleId: input.scheduleId });
    return { body: foundBody(await store.find('scheduleSkips', query), input, presentSkip) };
  },
});
