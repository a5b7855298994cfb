import { z } from 'zod/v3';
import { remoteFolderResource, validatedRemoteFolder } from '../domain/resources/remote-folder.ts';
import { reference } from '../domain/schema.ts';
import { assertRow, getRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const validateRemoteFolder = defineTool({
  name: 'validateRemoteFolder',
  summary: 'Validate a Remote Folder: connect, write, read back and delete a small file.',
  description:
    'Use it after a create or change, or when backups fail. It takes 15 seconds at most and answers the Remote ' +
    'Folder: validation_status VALID or INVALID, with the reason in validation_error. Refused (409) when the ' +
    'settings change meanwhile.',
  tag: 'Remote Folders',
  aliases: [
    'test backup folder',
    'check network share',
    'test NAS',
    'check credentials',
    'test connection',
    'is the share writable',
  ],
  rest: 'POST /remotefolders/{folderId}/validate',
  access: 'admin',
  effect: 'control',
  input: z.object({ folderId: reference('Remote Folder') }).strict(),
  output: dataOf(remoteFolderResource.output),
  async handle(ctx, { folderId }) {
    const { row: tried } = await getRow(ctx.store, remoteFolderResource, folderId);
    const finding = await ctx.integrations.checkRemoteFolder(tried, ctx.signal);
    return ctx.commit((tx, now) => {
      const present = assertRow(tx, remoteFolderResource, folderId, undefined);
      const row = validatedRemoteFolder(present, tried, finding, now);
      tx.put(remoteFolderResource.collection, row);
      return presentIn(tx, remoteFolderResource, row);
    });
  },
});
