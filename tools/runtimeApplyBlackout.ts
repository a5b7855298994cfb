import { z } from 'zod/v3';
import { blackoutChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';

export const runtimeApplyBlackout = defineTool({
  name: 'runtimeApplyBlackout',
  summary: 'Show black or a file in place of the programme on air, or go back to it.',
  description:
    'Use it to keep viewers from seeing the source while the broadcast goes on: mode Black Frame, or File with an Asset of the bucket files; ' +
    'Live goes back. Sound is silenced too unless keepAudio. Only in status 2 (on air). To end the broadcast use stopLivestream.',
  tag: 'Runtime options',
  aliases: [
    'black screen',
    'slate',
    'hide the picture',
    'cover the feed',
    'go to black',
    'back to live',
    'standby clip',
  ],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/blackout',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...blackoutChange }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'blackout', body }),
});
