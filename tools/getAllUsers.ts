import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { presentUser, userResource } from '../domain/rules/installation/user.ts';
import { userOutput } from '../domain/shapes/installation/user.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getAllUsers = defineTool({
  name: 'getAllUsers',
  summary: 'List the Users: who may sign in or hold API tokens, and in which role.',
  description:
    'Use it to find a person by name or e-mail address, or to see who is System Administrator (user_role 1) and who is not active. ' +
    'Passwords are never shown. For the right to issue tokens see getUserProfile; for the tokens listApiTokens.',
  tag: 'Users',
  aliases: ['accounts', 'people', 'operators', 'administrators', 'logins', 'members', 'staff', 'who has access'],
  rest: 'GET /users',
  access: 'admin',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: pageFields.search.describe('Substring of username, first or last name, or e-mail address.'),
      ...userResource.filters,
    })
    .strict(),
  output: listOf(userOutput.partial()),
  shortFields: userResource.shortFields,
  async handle({ store }, input) {
    const { username, user_role, active } = input as Record<string, string | number | boolean | undefined>;
    const query = pageQuery(input, COLLECTIONS.users.indexed, { username, user_role, active });
    return { body: foundBody(await store.find('users', query), input, presentUser) };
  },
});
