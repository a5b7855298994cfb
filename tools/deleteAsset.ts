import { z } from 'zod/v3';
import { bucketField, filenameField } from '../domain/shapes/media/asset.ts';
import { inUse } from '../domain/base/errors.ts';
import { assertEdition, assetUsers, findAsset } from '../domain/rules/media/asset.ts';
import { deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const deleteAsset = defineTool({
  name: 'deleteAsset',
  summary: 'Delete an Asset that nothing uses.',
  description:
    'Use it to remove a logo, media file or clip for good. It is refused (in_use) while a File Channel plays it, a Live stream has ' +
    'it as logo or fallback, or one on air shows or plays it; the answer names them. Give those another file first, with ' +
    'updateChannel or updateLivestreamOptions.',
  tag: 'Assets',
  aliases: ['remove file', 'delete media', 'remove logo', 'delete clip', 'remove graphic', 'drop upload'],
  rest: 'DELETE /assets/{filename}',
  access: 'operator',
  effect: 'delete',
  input: z.object({ filename: filenameField, fileType: bucketField }).strict(),
  output: deletedOutput,
  async handle(ctx, { filename, fileType }) {
    let key: string | undefined;
    const answer = await ctx.commit((tx) => {
      const row = findAsset(tx.find('assets', { where: { fileType, filename }, limit: 1 }), fileType, filename);
      assertEdition(row, ctx.request.expectedVersions);
      const users = assetUsers(tx, fileType, filename);
      if (users.length > 0) throw inUse('Asset', { id: filename }, users);
      tx.delete('assets', row.id);
      key = tx.get('mediaKeys', row.id)?.key;
      if (key !== undefined) tx.delete('mediaKeys', row.id);
      return { body: { data: { id: row.id, deleted: true as const } } };
    });
    // The row goes first: a crash in between leaves a file that nothing names, never a name without its file.
    await ctx.control.assetFiles.remove(fileType, filename, key).catch((cause: unknown) => {
      ctx.log.error({ err: cause, fileType, filename }, 'the file of a deleted Asset was left behind');
    });
    return answer;
  },
});
