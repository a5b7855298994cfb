import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { broadcastStatus, broadcastStatusOutput } from '../domain/rules/broadcasts/broadcast-status.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getLivestreamStatus = defineTool({
  name: 'getLivestreamStatus',
  summary: 'Show what one Live stream does right now: status, source, renditions, Destinations, where to watch.',
  description:
    'Use it to see whether a broadcast is on air and healthy, to follow a start or stop, or to find why it failed ' +
    '(errorstatus), or when it is on air next. States are polled; there are no push events. For all at once use getLivestreamsStatus, ' +
    'for what happened earlier getLivestreamEvents.',
  tag: 'Live streams',
  aliases: ['is it live', 'health', 'on air', 'monitor', 'bitrate', 'uptime', 'runtime state', 'why did it fail'],
  rest: 'GET /livestreams/{livestreamId}/status',
  access: 'operator',
  effect: 'read',
  input: z.object({ livestreamId: reference('Live stream') }).strict(),
  output: dataOf(broadcastStatusOutput),
  handle: ({ store, control, clock }, { livestreamId }) =>
    store.view((view) => {
      const row = assertRow(view, livestreamResource, livestreamId, undefined);
      return { body: { data: broadcastStatus(view, control, row, toIso(clock.now())) } };
    }),
});
