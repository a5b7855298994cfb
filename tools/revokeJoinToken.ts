import { z } from 'zod/v3';
import { notFound } from '../domain/base/errors.ts';
import { deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const revokeJoinToken = defineTool({
  name: 'revokeJoinToken',
  summary: 'Revoke a join token: no further Device joins with it; those that have joined stay.',
  description:
    'Use it when a join token has leaked or is not needed any more. It cannot be undone; createJoinToken makes another. The kid is in ' +
    'listJoinTokens. To take out a Device that has joined use deleteDevice.',
  tag: 'Devices',
  aliases: ['cancel join token', 'end enrolment', 'withdraw invitation', 'leaked join token', 'stop machines joining'],
  rest: 'DELETE /devices/joinTokens/{kid}',
  access: 'admin',
  effect: 'delete',
  input: z.object({ kid: z.string().min(1).max(64).describe('Key identifier of the token.') }).strict(),
  output: deletedOutput,
  handle: (ctx, { kid }) =>
    ctx.commit((tx, now) => {
      const [token] = tx.find('joinTokens', { where: { kid, revoked_at: null }, limit: 1 }).rows;
      if (token === undefined) throw notFound('open join token', kid);
      // The row stays for a while, so that a machine that comes with the token hears why it may not join.
      tx.put('joinTokens', { ...token, revoked_at: now, updated_at: now });
      return { body: { data: { id: token.id, deleted: true as const } } };
    }),
});
