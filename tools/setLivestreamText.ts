import { z } from 'zod/v3';
import { textChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';

export const setLivestreamText = defineTool({
  name: 'setLivestreamText',
  summary: 'Show a text on a broadcast on air, change it, or hide it.',
  description:
    'Use it for a line over the picture while a Live stream is on air (status 2), with date, time or a chronometer that run on. What is left ' +
    'out stays as it was last shown, so show alone brings the same text back. It lasts until the run ends; for every later start set overlay ' +
    'with updateLivestreamOptions.',
  tag: 'Runtime options',
  aliases: ['overlay text', 'caption', 'lower third', 'title', 'clock', 'countdown', 'banner', 'remove text'],
  rest: 'POST /livestreams/{livestreamId}/text',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...textChange }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'text', body }),
});
