import { z } from 'zod/v3';
import { getSkip, removeSkip } from '../domain/rules/schedules/schedule-skips.ts';
import { scheduleResource } from '../domain/rules/schedules/schedule.ts';
import { SCHEDULED_OPERATIONS } from '../domain/shapes/schedules/schedule.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const restoreSkip = defineTool({
  name: 'restoreSkip',
  summary: 'Restore a skipped occurrence that has not yet run: it happens after all.',
  description:
    'Use it to take a skip back; listScheduleSkips tells the skipId. One whose time has begun starts at once. Refused (wrong_state) when it has ' +
    'run or its time is over, and (conflict) when another Schedule has taken its time.',
  tag: 'Schedules',
  aliases: ['unskip', 'undo skip', 'bring back', 'reinstate', 'uncancel occurrence'],
  rest: 'DELETE /schedules/{scheduleId}/skips/{skipId}',
  access: 'operator',
  effect: 'delete',
  input: z.object({ scheduleId: reference('Schedule'), skipId: reference('skip') }).strict(),
  output: deletedOutput,
  handle: (ctx, { scheduleId, skipId }) => {
    ctx.request.rights.assertMayCall(...SCHEDULED_OPERATIONS);
    return ctx.commit((tx, now) => {
      const schedule = assertRow(tx, scheduleResource, scheduleId, undefined);
      const skip = getSkip(tx, scheduleId, skipId);
      assertRow(tx, { collection: 'scheduleSkips', noun: 'skip' }, skipId, ctx.request.expectedVersions);
      removeSkip(tx, schedule, skip, now);
      return { body: { data: { id: skipId, deleted: true as const } } };
    });
  },
});
