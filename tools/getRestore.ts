import { z } from 'zod/v3';
import { restoreOutput, restoreView } from '../domain/shapes/installation/restored-view.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getRestore = defineTool({
  name: 'getRestore',
  summary:
    'Tell whether Schedules wait because the store went back, by a restored backup or a failover, and who has looked at it.',
  description:
    'Use it when Schedules or planned actions do nothing, or rows are missing. While waiting is true, what is on air stays as it is and ' +
    'nothing that is older begins or ends by itself. Each difference is an event of kind store_restored: getAllEvents. To let all go on: ' +
    'acknowledgeRestore.',
  tag: 'System',
  aliases: ['restored backup', 'rollback', 'point in time recovery', 'store went back', 'schedules are held'],
  rest: 'GET /system/restore',
  access: 'operator',
  effect: 'read',
  input: z.object({}).strict(),
  output: dataOf(restoreOutput),
  async handle({ store }) {
    return { body: { data: restoreView((await store.find('eras', {})).rows) } };
  },
});
