import { z } from 'zod/v3';
import { pathsChange } from '../domain/shapes/changes/change-bodies.ts';
import { reference } from '../domain/base/schema.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';

export const runtimeTogglePublishings = defineTool({
  name: 'runtimeTogglePublishings',
  summary: 'Turn primary and backup paths of Publishings (Destinations) on and off on air.',
  description:
    'Use it while a Live stream is on air (status 2), for Publishings that were bound at its start. Paths left out stay as they are; true on ' +
    'a path in trouble tries again at once. The next start takes the paths as they were left. For one path by name use toggle_destination.',
  tag: 'Runtime options',
  aliases: ['Destination', 'switch output off', 'enable backup', 'pause restream', 'retry output', 'disable CDN'],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/publishings',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...pathsChange }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'paths', body }),
});
