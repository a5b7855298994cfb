import { z } from 'zod/v3';
import { metadataChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';

export const runtimePushMetadata = defineTool({
  name: 'runtimePushMetadata',
  summary: 'Send a cue or tag into a broadcast on air: ad break, ID3, date range, SCTE-35.',
  description:
    'Use it to begin (CueOut, ScteOut) and end (CueIn, ScteIn) an ad break, or to mark the programme for players (ID3Tag, DateRange), at the ' +
    'present instant and on all Destinations that can carry it. Only in status 2 (on air). How long breaks last where nothing is said: ' +
    'runtimeSetAdValues.',
  tag: 'Runtime options',
  aliases: ['ad break', 'cue out', 'cue in', 'SCTE-35', 'splice', 'ID3', 'commercials', 'date range', 'timed metadata'],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/metadata',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...metadataChange }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'metadata', body }),
});
