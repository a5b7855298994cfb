import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { credentialsOf, presentUser, userResource } from '../domain/rules/installation/user.ts';
import { reference } from '../domain/base/schema.ts';
import { userOutput } from '../domain/shapes/installation/user.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const count = z.number().int().min(0).optional();

export const getUserById = defineTool({
  name: 'getUserById',
  summary: 'Show one User: name, e-mail address, role, whether active.',
  description:
    'Use it before a change of a User. The password is never shown, only whether there is one (has_password). ' +
    'With credentials: true it also tells how many sessions and tokens end when the User is made inactive or deleted. ' +
    'Language, password version and the right to issue tokens are in getUserProfile.',
  tag: 'Users',
  aliases: ['account', 'person', 'operator', 'administrator', 'login', 'member', 'who is', 'open sessions'],
  rest: 'GET /users/{userId}',
  access: 'admin',
  effect: 'read',
  input: z
    .object({
      userId: reference('User'),
      credentials: z.boolean().default(false).describe('true: also count its open sessions and API tokens.'),
    })
    .strict(),
  output: dataOf(
    userOutput.extend({
      sessions: count.describe('Sessions that are open now; only with credentials: true.'),
      tokens: count.describe('API tokens that are neither revoked nor expired; only with credentials: true.'),
    }),
  ),
  async handle({ store, clock }, { userId, credentials }) {
    const { row, version } = await getRow(store, userResource, userId);
    const counts = credentials ? await store.view((view) => credentialsOf(view, userId, toIso(clock.now()))) : {};
    return { body: { data: { ...presentUser(row), ...counts } }, version };
  },
});
