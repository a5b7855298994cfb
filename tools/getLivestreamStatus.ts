import { z } from 'zod/v3';
import { livestreamResource } from '../domain/resources/livestream.ts';
import { livestreamStatusOutput } from '../domain/livestream-status.ts';
import { reference } from '../domain/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getLivestreamStatus = defineTool({
  name: 'getLivestreamStatus',
  summary: 'Show what one Live stream does right now: status, source, renditions, Destinations.',
  description:
    'Use it to see whether a broadcast is on air and healthy, to follow a start or stop, or to find why it failed ' +
    '(errorstatus). States are polled; there are no push events. For all at once use getLivestreamsStatus, ' +
    'for what happened earlier getLivestreamEvents.',
  tag: 'Live streams',
  aliases: ['is it live', 'health', 'on air', 'monitor', 'bitrate', 'uptime', 'runtime state', 'why did it fail'],
  rest: 'GET /livestreams/{livestreamId}/status',
  access: 'operator',
  effect: 'read',
  input: z.object({ livestreamId: reference('Live stream') }).strict(),
  output: dataOf(livestreamStatusOutput),
  async handle({ store, control }, { livestreamId }) {
    const { row } = await getRow(store, livestreamResource, livestreamId);
    const run = await store.get('runs', livestreamId);
    return { body: { data: control.status(row, run?.row) } };
  },
});
