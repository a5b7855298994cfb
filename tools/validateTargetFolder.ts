import { z } from 'zod/v3';
import { targetFolderResource, validatedTargetFolder } from '../domain/resources/target-folder.ts';
import { reference } from '../domain/schema.ts';
import { assertRow, getRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const validateTargetFolder = defineTool({
  name: 'validateTargetFolder',
  summary: 'Validate a Target Folder: connect, write, read back and delete a small file.',
  description:
    'Use it after a create or change, or when exports fail. It takes 15 seconds at most and answers the Target ' +
    'Folder: validation_status VALID or INVALID, with the reason in validation_error. The first success stores an ' +
    'SFTP host key. Refused (409) when the settings change meanwhile.',
  tag: 'Target Folders',
  aliases: [
    'test export folder',
    'test FTP login',
    'test SFTP',
    'check S3 bucket',
    'check credentials',
    'test connection',
  ],
  rest: 'POST /targetfolders/{folderId}/validate',
  access: 'admin',
  effect: 'control',
  input: z.object({ folderId: reference('Target Folder') }).strict(),
  output: dataOf(targetFolderResource.output),
  async handle(ctx, { folderId }) {
    const { row: tried } = await getRow(ctx.store, targetFolderResource, folderId);
    const finding = await ctx.integrations.checkTargetFolder(tried, ctx.signal);
    return ctx.commit((tx, now) => {
      const present = assertRow(tx, targetFolderResource, folderId, undefined);
      const row = validatedTargetFolder(present, tried, finding, now);
      tx.put(targetFolderResource.collection, row);
      return presentIn(tx, targetFolderResource, row);
    });
  },
});
