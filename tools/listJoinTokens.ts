import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { joinTokenOutput } from '../domain/shapes/devices/join-token.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const listJoinTokens = defineTool({
  name: 'listJoinTokens',
  summary: 'List the join tokens of Devices that have not been revoked; never their values.',
  description:
    'Use it to see how many Devices have joined with each token, how many more may, and when it expires, and to find the kid that ' +
    'revokeJoinToken needs. A token cannot be shown again. API tokens are in listApiTokens.',
  tag: 'Devices',
  aliases: ['join tokens', 'open invitations', 'who may join', 'uses left', 'enrolment tokens'],
  rest: 'GET /devices/joinTokens',
  access: 'admin',
  effect: 'read',
  input: z.object(pageFields).strict(),
  output: listOf(joinTokenOutput.partial()),
  shortFields: ['id', 'kid', 'name', 'expires_at', 'max_uses', 'used'],
  async handle({ store }, input) {
    const sortable = COLLECTIONS.joinTokens.indexed.filter((field) => field in joinTokenOutput.shape);
    const found = await store.find('joinTokens', pageQuery(input, sortable, { revoked_at: null }));
    return {
      body: foundBody(found, input, ({ join_key: _key, revoked_at: _revoked, updated_at: _at, ...row }) => row),
    };
  },
});
