import { reachIssues } from '../domain/rules/sources/reachable.ts';
import { assertRules } from '../domain/rules/rows/references.ts';
import { changedConfig, CONFIG_ID, shownConfig } from '../domain/rules/media/transcription.ts';
import { toPartial } from '../domain/base/schema.ts';
import { transcriptionConfigCreate, transcriptionConfigOutput } from '../domain/shapes/media/transcription.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const updateTranscriptionConfig = defineTool({
  name: 'updateTranscriptionConfig',
  summary: 'Change the settings of the transcription integration.',
  description:
    'Use it to set up the contracted account: tenant_url and api_key (write-only), with a default collection and template from ' +
    'getTranscriptionCollections and getTranscriptionTemplates. Only what is sent changes; null clears. Nothing is sent to the provider: ' +
    'getTranscriptionAccount shows whether the settings are right.',
  tag: 'Transcription',
  aliases: ['speech to text', 'set up captions', 'subtitles', 'transcription tenant', 'rotate transcription key'],
  rest: 'PUT /settings/integrations/transcription/config',
  access: 'admin',
  effect: 'update',
  input: toPartial(transcriptionConfigCreate),
  output: dataOf(transcriptionConfigOutput),
  handle: (ctx, input) =>
    ctx.commit((tx, now) => {
      const row = changedConfig(tx, input, now, ctx.request.expectedVersions);
      const before = tx.get('transcription', CONFIG_ID);
      assertRules(reachIssues('transcription', row, before, ctx.integrations.hostRefusal));
      const isNew = tx.version('transcription', CONFIG_ID) === 0;
      // A call that sends nothing, or clears what was never set, creates no configuration.
      if (isNew && Object.values(input).some((value) => value != null)) tx.insert('transcription', row);
      if (!isNew) tx.put('transcription', row);
      const { data } = shownConfig(tx, now);
      return { body: { data }, version: tx.version('transcription', CONFIG_ID) };
    }),
});
