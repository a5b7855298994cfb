import { z } from 'zod/v3';
import { AppError } from '../domain/base/errors.ts';
import { recordingOutput } from '../domain/shapes/media/recording.ts';
import { presentRecording } from '../domain/rules/media/recording.ts';
import { recordChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const runtimeRecord = defineTool({
  name: 'runtimeRecord',
  summary: 'Start or stop a Recording of a broadcast on air.',
  description:
    'Use it to record from now on, or to end that, while a Live stream is on air (status 2). It needs no Record Destination. start answers the ' +
    'Recording that begins, or the one that goes on already; stop answers the one that has ended. It ends with the broadcast at the latest. ' +
    'What a Record Destination keeps is turned on and off with runtimeTogglePublishings.',
  tag: 'Runtime options',
  aliases: ['record', 'capture', 'archive', 'start recording', 'stop recording', 'DVR', 'keep this part'],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/record',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...recordChange }).strict(),
  output: dataOf(recordingOutput),
  handle: (ctx, { livestreamId, action }) =>
    ctx.control.changeLive(
      livestreamId,
      { kind: 'record', body: { action }, by: ctx.caller.username },
      ({ settle }) =>
        ctx.commit((tx) => {
          settle(tx);
          const run = tx.get('runs', livestreamId);
          const where = { runId: run?.runId ?? '', publishingId: -(run?.takes?.count ?? 0) };
          const [row] = tx.find('recordings', { where, limit: 1 }).rows;
          // Somebody has deleted it as soon as it was finished.
          if (row === undefined) throw new AppError('conflict', 'The Recording has been deleted meanwhile.');
          return { body: { data: presentRecording(ctx.control.measured(row)) } };
        }),
      ctx.request.changeId,
    ),
});
