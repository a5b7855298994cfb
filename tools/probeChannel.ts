import { z } from 'zod/v3';
import { sourceProbe } from '../domain/shapes/sources/probe.ts';
import { reference } from '../domain/base/schema.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const probeChannel = defineTool({
  name: 'probeChannel',
  summary: 'Show the source of a Channel before the air: formats, measured rate, level, captions, warnings.',
  description:
    'Use it before a start, or when a source looks or sounds wrong. It connects to the source for some seconds (10 at most) and answers ' +
    'what comes, with warnings that name their remedy. A second call shares the first; a silent source is 504. Refused (409) for a source ' +
    'on air that serves one connection alone. For its picture use getChannelPreview afterwards.',
  tag: 'Channels',
  aliases: ['test source', 'check input', 'analyse source', 'probe', 'is OBS sending', 'signal check', 'Source'],
  rest: 'POST /channels/{channelId}/probe',
  access: 'operator',
  effect: 'control',
  input: z.object({ channelId: reference('Channel') }).strict(),
  output: dataOf(sourceProbe),
  async handle({ control }, { channelId }) {
    return { body: { data: await control.probeChannel(channelId) } };
  },
});
