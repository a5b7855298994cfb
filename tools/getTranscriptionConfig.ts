import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { shownConfig } from '../domain/rules/media/transcription.ts';
import { transcriptionConfigOutput } from '../domain/shapes/media/transcription.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getTranscriptionConfig = defineTool({
  name: 'getTranscriptionConfig',
  summary: 'Show the settings of the transcription integration.',
  description:
    'Use it to see which tenant of the transcription provider is used, and the collection and template that assets are handed to by default. ' +
    'The API key is never answered: has_api_key says whether one is stored. It needs no licence; licensed says whether the other calls of the integration have theirs. To change it use updateTranscriptionConfig.',
  tag: 'Transcription',
  aliases: ['speech to text', 'captions settings', 'subtitles', 'transcription tenant', 'editor integration'],
  rest: 'GET /settings/integrations/transcription/config',
  access: 'operator',
  effect: 'read',
  input: z.object({}).strict(),
  output: dataOf(transcriptionConfigOutput),
  async handle({ store, clock }) {
    const { data, version } = await store.view((view) => shownConfig(view, toIso(clock.now())));
    return { body: { data }, ...(version !== undefined && { version }) };
  },
});
