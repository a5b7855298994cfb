import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { tokenOutput } from '../domain/shapes/installation/security.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const listApiTokens = defineTool({
  name: 'listApiTokens',
  summary: 'List the API tokens that have not been revoked; never their values.',
  description:
    'Use it to see which programs have access, what limits each token, when it expires, and to find the kid that revokeApiToken needs. ' +
    'The secret of a token cannot be shown again: only its hash is stored.',
  tag: 'Security',
  aliases: ['API keys', 'access tokens', 'credentials', 'who has access', 'list keys', 'kid'],
  rest: 'GET /security/tokens',
  access: 'admin',
  effect: 'read',
  input: z.object(pageFields).strict(),
  output: listOf(tokenOutput.partial()),
  shortFields: ['id', 'kid', 'name', 'created_at', 'expires_at', 'profile', 'operations'],
  async handle({ store }, input) {
    // An order would tell something of a token's hash or of a user's id, so neither is a sort field.
    const sortable = COLLECTIONS.tokens.indexed.filter((field) => field in tokenOutput.shape);
    const found = await store.find('tokens', pageQuery(input, sortable, { revoked_at: null }));
    return {
      body: foundBody(found, input, ({ id, kid, name, created_at, expires_at, profile = null, operations = null }) => ({
        id,
        kid,
        name,
        created_at,
        expires_at,
        profile,
        operations: operations === null ? null : [...operations],
      })),
    };
  },
});
