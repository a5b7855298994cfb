import { z } from 'zod/v3';
import { filenameField } from '../domain/shapes/media/asset.ts';
import { toIso } from '../domain/time/clock.ts';
import { clipCut, handOffOf } from '../domain/rules/media/hand-off.ts';
import { transcriptionAccess } from '../domain/rules/media/transcription.ts';
import { reference } from '../domain/base/schema.ts';
import { handedOffOutput } from '../domain/shapes/media/transcription.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const placeField = z.string().trim().min(1).max(255).nullable().optional();

export const handOffToTranscription = defineTool({
  name: 'handOffToTranscription',
  summary: 'Send a finished Recording, or a clip, to the transcription provider.',
  description:
    'Use it for captions and texts of what was broadcast: send recordingId, or filename of a clip. It answers the asset_id there; follow it with ' +
    'getTranscriptionAssetStatus. Each call makes another asset there. Refused without the licence feature editor (403), before the ' +
    'integration is set up (422), and while the Recording is still written (409).',
  tag: 'Transcription',
  aliases: [
    'transcribe',
    'speech to text',
    'make captions',
    'subtitles',
    'send to transcription',
    'transcript',
    'closed captions',
  ],
  rest: 'POST /settings/integrations/transcription/assets',
  access: 'operator',
  effect: 'control',
  input: z
    .object({
      recordingId: reference('Recording').optional(),
      filename: filenameField.optional().describe('Clip in the bucket clips, in place of recordingId.'),
      collection: placeField.describe('Id of the collection there; left out: the default of the settings; null: none.'),
      template: placeField.describe('Id of the template there; left out: the default of the settings; null: none.'),
    })
    .strict(),
  output: dataOf(handedOffOutput),
  async handle(ctx, input) {
    const cut = await clipCut(ctx.store, input);
    const { access, facts, recording } = await ctx.store.view((view) => {
      const known = transcriptionAccess(view, toIso(ctx.clock.now()));
      return { access: known, ...handOffOf(view, input, known, cut) };
    });
    const opened = recording && (await ctx.control.recordings.open(recording, ctx.signal));
    try {
      if (opened === undefined) await ctx.control.assetFiles.bring?.('clips', facts.filename);
      const path = opened?.files[0] ?? ctx.control.assetFiles.path('clips', facts.filename);
      const sent = await ctx.integrations.transcription.handOff(access, { ...facts, path }, ctx.signal);
      const { collection, template } = facts;
      return await ctx.commit(() => ({ body: { data: { ...sent, collection, template } } }));
    } finally {
      await opened?.release();
    }
  },
});
