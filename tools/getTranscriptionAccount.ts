import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { transcriptionAccess } from '../domain/rules/media/transcription.ts';
import { transcriptionAccount } from '../domain/shapes/media/transcription.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getTranscriptionAccount = defineTool({
  name: 'getTranscriptionAccount',
  summary: 'Show the account at the transcription provider.',
  description:
    'Use it to see whether the integration works and how many minutes of the contract are used. It really asks the provider. Refused without ' +
    'the licence feature editor (403) and before updateTranscriptionConfig has set it up (422).',
  tag: 'Transcription',
  aliases: ['speech to text', 'transcription quota', 'minutes used', 'captions account', 'subtitles'],
  rest: 'GET /settings/integrations/transcription/account',
  access: 'operator',
  effect: 'read',
  input: z.object({}).strict(),
  output: dataOf(transcriptionAccount),
  async handle(ctx) {
    const access = await ctx.store.view((view) => transcriptionAccess(view, toIso(ctx.clock.now())));
    return { body: { data: await ctx.integrations.transcription.account(access, ctx.signal) } };
  },
});
