import { z } from 'zod/v3';
import { wallResource } from '../domain/rules/broadcasts/wall.ts';
import { notFound } from '../domain/base/errors.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const revokeDisplayLink = defineTool({
  name: 'revokeDisplayLink',
  summary: 'Revoke a display link: the display that shows its wall goes dark at once.',
  description:
    'Use it when a display is gone, or its link has come into other hands. It cannot be undone; createDisplayLink makes another. ' +
    'The kid is in listDisplayLinks. Other links of the wall stay.',
  tag: 'Walls',
  aliases: ['end kiosk', 'close display', 'turn the foyer screen off', 'leaked display link', 'withdraw screen'],
  rest: 'DELETE /walls/{wallId}/displayLinks/{kid}',
  access: 'admin',
  effect: 'delete',
  input: z
    .object({ wallId: reference('Wall'), kid: z.string().min(1).max(64).describe('Key identifier of the link.') })
    .strict(),
  output: deletedOutput,
  handle: (ctx, { wallId, kid }) =>
    ctx.commit((tx) => {
      assertRow(tx, wallResource, wallId, undefined);
      const [link] = tx.find('displayLinks', { where: { kid, wallId }, limit: 1 }).rows;
      if (link === undefined) throw notFound('display link', kid);
      tx.delete('displayLinks', link.id);
      return { body: { data: { id: link.id, deleted: true as const } } };
    }),
});
