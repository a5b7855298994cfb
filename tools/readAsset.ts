import { z } from 'zod/v3';
import { assetOutput, bucketField, filenameField } from '../domain/shapes/media/asset.ts';
import { findAsset } from '../domain/rules/media/asset.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const readAsset = defineTool({
  name: 'readAsset',
  summary: 'Show one Asset; over REST its content is sent.',
  description:
    'Use it to see size, media type, duration and picture size of a file in a bucket, or over REST to download it. ' +
    'Over MCP it answers the facts, never the content. To find the filename use listAssets.',
  tag: 'Assets',
  aliases: ['media file', 'logo', 'clip', 'download file', 'file details', 'graphic', 'watermark', 'VOD'],
  rest: 'GET /assets/{filename}',
  access: 'operator',
  effect: 'read',
  input: z.object({ filename: filenameField, fileType: bucketField }).strict(),
  output: dataOf(assetOutput),
  async handle({ store, control }, { filename, fileType }) {
    const row = findAsset(await store.find('assets', { where: { fileType, filename }, limit: 1 }), fileType, filename);
    await control.assetFiles.bring?.(fileType, filename);
    const file = { path: control.assetFiles.path(fileType, filename), contentType: row.content_type };
    return { body: { data: row }, file, version: row.id };
  },
});
