import { z } from 'zod/v3';
import { bucketField, filenameField } from '../domain/shapes/media/asset.ts';
import { findAsset } from '../domain/rules/media/asset.ts';
import { reference } from '../domain/base/schema.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { idOrName } from '../toolkit/subjects/reference.ts';
import { takeTargetFolder } from '../toolkit/subjects/target-folder.ts';
import { defineTool } from '../toolkit/tool.ts';

const exportOutput = z
  .object({
    filename: z.string().describe('The Asset here.'),
    targetFolderId: reference('Target Folder'),
    name: z.string().describe('Its name there.'),
    location: z.string().describe('Where it lies, as an address without credentials.'),
    size_bytes: z.number().int().describe('As it was read back there.'),
    sha256: z.string().describe('Of what was read back there, hexadecimal; the same as here.'),
  })
  .strict();

export const exportClip = defineTool({
  name: 'exportClip',
  summary: 'Send a clip, or another Asset, to a Target Folder: FTP, SFTP or S3.',
  description:
    'Use it to deliver a clip. The answer comes when the file has been read back there and found the same; progress is told. A ' +
    'connection that breaks is taken up again. A name that is taken there is a conflict unless replace is true, which overwrites it. ' +
    'Target Folders are set up by an Administrator. To hand out a whole Recording use createRecordingDownload.',
  tag: 'Assets',
  aliases: ['deliver clip', 'push to FTP', 'upload to S3', 'send file', 'publish highlight', 'hand over', 'transfer'],
  rest: 'POST /assets/{filename}/exports',
  access: 'operator',
  effect: 'control',
  input: z
    .object({
      filename: filenameField,
      fileType: bucketField.default('clips'),
      targetFolderId: idOrName.describe('Target Folder: id or name.'),
      name: filenameField.optional().describe('Name there, no path; left out: that of the Asset.'),
      replace: z.boolean().default(false).describe('Put it in place of what has that name there.'),
    })
    .strict(),
  output: dataOf(exportOutput),
  async handle(ctx, { filename, fileType, targetFolderId: wanted, name = filename, replace }) {
    findAsset(await ctx.store.find('assets', { where: { fileType, filename }, limit: 1 }), fileType, filename);
    const folder = await takeTargetFolder(ctx, wanted);
    await ctx.control.assetFiles.bring?.(fileType, filename);
    const file = { name, path: ctx.control.assetFiles.path(fileType, filename), replace };
    const sent = await ctx.integrations.exportTo(folder, file, ctx.signal, (done, total, what) =>
      ctx.request.progress(what === 'sent' ? done : total + done, 2 * total, `${done} of ${total} bytes ${what}`),
    );
    const { location, size_bytes, sha256 } = sent;
    const data = { filename, targetFolderId: folder.id, name, location, size_bytes, sha256 };
    return ctx.commit(() => ({ body: { data } }));
  },
});
