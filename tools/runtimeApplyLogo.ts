import { z } from 'zod/v3';
import { logoChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';

export const runtimeApplyLogo = defineTool({
  name: 'runtimeApplyLogo',
  summary: 'Show a logo on a broadcast on air, put it elsewhere, or clear it.',
  description:
    'Use it while a Live stream is on air (status 2). The logo is an Asset of the bucket logos (listAssets); an empty filename clears it. ' +
    'It answers when viewers get it, and it lasts until the run ends; for every later start set it with updateLivestreamOptions.',
  tag: 'Runtime options',
  aliases: ['watermark', 'station bug', 'put up the logo', 'take down the logo', 'branding', 'graphic', 'emblem'],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/logo',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...logoChange }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'logo', body }),
});
