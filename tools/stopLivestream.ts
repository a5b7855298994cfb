import { z } from 'zod/v3';
import { livestreamOutput } from '../domain/shapes/broadcasts/livestream.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const stopLivestream = defineTool({
  name: 'stopLivestream',
  summary: 'Stop a Live stream: end delivery, encoding and its Recordings.',
  description:
    'Use it to go off air, or to clear a failure (status 3) before a change. It answers at once with the present status; ' +
    'the stream is off when getLivestreamStatus says 0. A stream that is off stays as it is. ' +
    'The workflow stop_livestream waits for the end and takes names.',
  tag: 'Live streams',
  aliases: ['go off air', 'take down', 'end broadcast', 'stop stream', 'kill', 'shut down', 'turn off', 'finish'],
  rest: 'POST /livestreams/{livestreamId}/stop',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream') }).strict(),
  output: dataOf(livestreamOutput),
  handle: (ctx, { livestreamId }) =>
    ctx.commit((tx, now) => {
      const livestream = assertRow(tx, livestreamResource, livestreamId, undefined);
      ctx.control.orderStop(tx, now, livestreamId, { username: ctx.caller.username });
      return presentIn(tx, livestreamResource, livestream);
    }),
});
