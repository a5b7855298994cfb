import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { transcriptionAccess } from '../domain/rules/media/transcription.ts';
import { assetIdField, transcriptionAssetStatus } from '../domain/shapes/media/transcription.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getTranscriptionAssetStatus = defineTool({
  name: 'getTranscriptionAssetStatus',
  summary: 'Show how far the transcription of an asset is.',
  description:
    'Use it to follow an asset that handOffToTranscription sent, by its id at the provider: queued, processing with per cent, done, ' +
    'or failed with the reason. It really asks the provider. Refused without the licence feature editor (403) and before the ' +
    'integration is set up (422).',
  tag: 'Transcription',
  aliases: ['transcription progress', 'captions ready', 'speech to text status', 'subtitles', 'processing status'],
  rest: 'GET /settings/integrations/transcription/assets/{assetId}/status',
  access: 'operator',
  effect: 'read',
  input: z.object({ assetId: assetIdField }).strict(),
  output: dataOf(transcriptionAssetStatus),
  async handle(ctx, input) {
    const access = await ctx.store.view((view) => transcriptionAccess(view, toIso(ctx.clock.now())));
    return { body: { data: await ctx.integrations.transcription.assetStatus(access, input.assetId, ctx.signal) } };
  },
});
