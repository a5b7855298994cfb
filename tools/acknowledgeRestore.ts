import { z } from 'zod/v3';
import { acknowledge } from '../domain/rules/installation/store-eras.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const acknowledgeRestore = defineTool({
  name: 'acknowledgeRestore',
  summary: 'Set a store that went back as looked at by a person: Schedules and planned actions go on from now.',
  description:
    'Before it, compare what is on air with what should be (getAllEvents of kind store_restored names each difference), and revoke again what ' +
    'was revoked since. What fell due meanwhile is not made up for: planned actions have failed, occurrences are missed, and a broadcast whose ' +
    'end has passed goes on until it is stopped. Where nothing waits nothing changes. Only to look: getRestore.',
  tag: 'System',
  aliases: ['confirm restore', 'release schedules', 'continue after restore', 'accept rollback', 'end the hold'],
  rest: 'POST /system/restore/acknowledge',
  access: 'admin',
  effect: 'update',
  input: z.object({}).strict(),
  output: dataOf(
    z
      .object({
        failed_actions: z.number().int().describe('Planned actions whose time had passed.'),
        closed_occurrences: z
          .number()
          .int()
          .describe('Occurrences under way that no Schedule ends or begins any more.'),
      })
      .strict(),
  ),
  handle: (ctx) =>
    ctx.commit((tx, now) => {
      const { actions, occurrences } = acknowledge(tx, now, ctx.caller.username);
      return { body: { data: { failed_actions: actions, closed_occurrences: occurrences } } };
    }),
});
