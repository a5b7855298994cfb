import { z } from 'zod/v3';
import { notFound } from '../domain/base/errors.ts';
import { revokeToken } from '../domain/rules/installation/token.ts';
import { deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const revokeApiToken = defineTool({
  name: 'revokeApiToken',
  summary: 'Revoke an API token for good: every later call with it answers 401.',
  description:
    'Use it when a token has leaked, its program is gone, or after a rotation. It cannot be undone; a new token is created instead. ' +
    'The kid is in listApiTokens. Revoking the token of this very call works and ends your own access. Of several servers each refuses ' +
    'it by then, so the answer may take a minute where one has just died.',
  tag: 'Security',
  aliases: ['API key', 'delete token', 'disable token', 'remove access', 'invalidate key', 'leaked token', 'lock out'],
  rest: 'DELETE /security/tokens/{kid}',
  access: 'admin',
  effect: 'delete',
  endsAccess: () => true,
  input: z.object({ kid: z.string().min(1).max(64).describe('Key identifier of the token.') }).strict(),
  output: deletedOutput,
  handle: (ctx, { kid }) =>
    ctx.commit((tx, now) => {
      const token = revokeToken(tx, now, kid);
      if (token === undefined) throw notFound('active API token', kid);
      return { body: { data: { id: token.id, deleted: true as const } } };
    }),
});
