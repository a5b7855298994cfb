import { z } from 'zod/v3';
import { adValuesChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';

export const runtimeSetAdValues = defineTool({
  name: 'runtimeSetAdValues',
  summary: 'Apply how long ad breaks of a broadcast on air last.',
  description:
    'Use it before ad breaks are cued with runtimePushMetadata: the length of a CueOut without a duration, the longest break, and the length ' +
    'of the next one alone. What is left out stays, null clears; notes tell the values in force. Only in status 2 (on air).',
  tag: 'Runtime options',
  aliases: ['ad duration', 'break length', 'commercial break', 'ad slot', 'longest break', 'next ad'],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/adValues',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...adValuesChange }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'adValues', body }),
});
