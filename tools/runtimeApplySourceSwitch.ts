import { z } from 'zod/v3';
import { sourceChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';
import { orList } from '../domain/base/sentence.ts';
import { FIXED_TYPES } from '../domain/types/channel-questions.ts';

export const runtimeApplySourceSwitch = defineTool({
  name: 'runtimeApplySourceSwitch',
  summary: 'Switch a broadcast on air to another Channel (source).',
  description:
    'Use it to cut to another live source without going off air (status 2). The new one is opened first; when it gives no picture, the old one ' +
    `stays and the answer says why. Not to ${orList(FIXED_TYPES)}, and not while video is copied. It lasts until the run ends; for later starts ` +
    'use updateLivestream.',
  tag: 'Runtime options',
  aliases: ['change input', 'cut to camera', 'switch feed', 'other source', 'reroute', 'swap the contribution'],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/sourceSwitch',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...sourceChange }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'source', body }),
});
