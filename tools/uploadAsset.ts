import { z } from 'zod/v3';
import { assetOutput, bucketField, filenameField } from '../domain/shapes/media/asset.ts';
import { counted, uploadOf } from '../domain/rules/media/asset.ts';
import { assertFree, keepAsset } from '../toolkit/subjects/new-asset.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const uploadAsset = defineTool({
  name: 'uploadAsset',
  summary: 'Upload a logo, media file or clip as a new Asset.',
  description:
    'Use it before a Channel, logo or fallback names the file. Over REST send multipart/form-data with fileType and file; over MCP ' +
    'send filename and content_base64 (8 MB at most). The content is probed: what is not a picture (logos) or not media (files, ' +
    'clips) is refused. An existing name is a conflict: delete it first (deleteAsset) or choose another.',
  tag: 'Assets',
  aliases: ['add file', 'upload media', 'upload logo', 'import clip', 'add graphic', 'watermark', 'VOD file', 'slate'],
  rest: 'POST /assets',
  access: 'operator',
  effect: 'create',
  input: z
    .object({
      fileType: bucketField,
      filename: filenameField
        .optional()
        .describe('File name, 1-255 characters, no path; left out: that of the uploaded file.'),
      content_base64: z
        .string()
        .min(1)
        // It is more than 8 MB take in base64: that bound has a refusal of its own, which names it.
        .max(12_000_000)
        .optional()
        .describe('Content as base64, 8 MB at most once decoded; over REST send a file instead.'),
    })
    .strict(),
  output: dataOf(assetOutput),
  async handle(ctx, input) {
    const { fileType } = input;
    const { filename, content } = uploadOf(input, ctx.request.upload);
    await assertFree(ctx, { fileType, filename });
    const chunks = counted(content, ctx.request.progress);
    const received = await ctx.control.assetFiles.receive(fileType, filename, chunks, ctx.signal);
    return keepAsset(ctx, received, { fileType, filename }, (data) => ({ data }));
  },
});
