import { z } from 'zod/v3';
import { presentProfile, userResource } from '../domain/rules/installation/user.ts';
import { reference } from '../domain/base/schema.ts';
import { profileOutput } from '../domain/shapes/installation/user.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getUserProfile = defineTool({
  name: 'getUserProfile',
  summary: 'Show the profile of a User: role, right to issue API tokens, language, password version.',
  description:
    'Use it to find out why createApiToken is refused (api: false), or whether a password has been renewed (password_version). ' +
    'Name and e-mail address are in getUserById.',
  tag: 'Users',
  aliases: ['permissions', 'rights', 'account settings', 'language', 'may issue tokens', 'role', 'preferences'],
  rest: 'GET /users/{userId}/profile',
  access: 'admin',
  effect: 'read',
  input: z.object({ userId: reference('User') }).strict(),
  output: dataOf(profileOutput),
  async handle(ctx, { userId }) {
    const { row, version } = await getRow(ctx.store, userResource, userId);
    return { body: { data: presentProfile(row) }, version };
  },
});
