import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { transcriptionAccess } from '../domain/rules/media/transcription.ts';
import { transcriptionItem } from '../domain/shapes/media/transcription.ts';
import { itemsBody } from '../toolkit/output/item-page.ts';
import { listOf, pageFields } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getTranscriptionCollections = defineTool({
  name: 'getTranscriptionCollections',
  summary: 'List the collections at the transcription provider.',
  description:
    'Use it to choose default_collection for updateTranscriptionConfig. It really asks the provider. Refused without the licence feature ' +
    'editor (403) and before the integration is set up (422). Over MCP it answers 20 rows a page.',
  tag: 'Transcription',
  aliases: ['speech to text', 'asset collections', 'captions folders', 'subtitles'],
  rest: 'GET /settings/integrations/transcription/collections',
  access: 'operator',
  effect: 'read',
  input: z.object(pageFields).strict(),
  output: listOf(transcriptionItem.partial()),
  shortFields: ['id', 'name'],
  async handle(ctx, input) {
    const access = await ctx.store.view((view) => transcriptionAccess(view, toIso(ctx.clock.now())));
    const items = await ctx.integrations.transcription.collections(access, ctx.signal);
    return { body: itemsBody(items, input) };
  },
});
