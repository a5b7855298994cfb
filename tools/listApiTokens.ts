import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { presentToken } from '../domain/rules/installation/presented-token.ts';
import { tokenClientOutput } from '../domain/shapes/installation/oauth.ts';
import { tokenOutput } from '../domain/shapes/installation/security.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const listApiTokens = defineTool({
  name: 'listApiTokens',
  summary: 'List the API tokens that have not been revoked; never their values.',
  description:
    'Use it to see which programs and connected assistants have access, what limits each token, when it expires, and to find the kid that revokeApiToken needs. ' +
    'client is set for an assistant that a person connected by OAuth. ' +
    'The secret of a token cannot be shown again: only its hash is stored.',
  tag: 'Security',
  aliases: ['API keys', 'access tokens', 'credentials', 'who has access', 'list keys', 'kid', 'connected assistants'],
  rest: 'GET /security/tokens',
  access: 'admin',
  effect: 'read',
  input: z.object(pageFields).strict(),
  output: listOf(
    tokenOutput
      .extend({
        client: tokenClientOutput
          .nullable()
          .describe('Assistant that a person connected by OAuth; null for other tokens.'),
      })
      .strict()
      .partial(),
  ),
  shortFields: ['id', 'kid', 'name', 'created_at', 'expires_at', 'profile', 'operations', 'client'],
  async handle({ store }, input) {
    // An order would tell something of a token's hash or of a user's id, so neither is a sort field.
    const sortable = COLLECTIONS.tokens.indexed.filter((field) => field in tokenOutput.shape);
    const found = await store.find('tokens', pageQuery(input, sortable, { revoked_at: null }));
    const users = await store.getMany('users', [...new Set(found.rows.map(({ userId }) => userId))]);
    const nameOf = (userId: number): string => users.find(({ id }) => id === userId)?.username ?? '';
    return {
      body: foundBody(found, input, (token) => presentToken(token, nameOf(token.userId))),
    };
  },
});
