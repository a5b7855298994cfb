import { z } from 'zod/v3';
import { assetOutput, bucketField } from '../domain/shapes/media/asset.ts';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { assetResource } from '../domain/rules/media/asset.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const listAssets = defineTool({
  name: 'listAssets',
  summary: 'List the Assets: logos, media files and clips.',
  description:
    'Use it to find the filename that a File Channel, a logo or a fallback needs. Narrow it with fileType: logos, files or clips. ' +
    'Recordings of past broadcasts are no Assets: see getRecordings.',
  tag: 'Assets',
  aliases: ['media files', 'logos', 'clips', 'library', 'VOD', 'graphics', 'watermarks', 'uploads', 'slates'],
  rest: 'GET /assets',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: pageFields.search.describe('Substring of the filename.'),
      fileType: bucketField.optional().describe('Only Assets of this bucket.'),
    })
    .strict(),
  output: listOf(assetOutput.partial()),
  shortFields: assetResource.shortFields,
  async handle({ store }, input) {
    const query = pageQuery(input, COLLECTIONS.assets.indexed, { fileType: input.fileType });
    return { body: foundBody(await store.find('assets', query), input, (row) => row) };
  },
});
