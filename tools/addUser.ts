import { z } from 'zod/v3';
import { assertUsernameFree, newProfile, userResource } from '../domain/rules/installation/user.ts';
import { userCreate, userOutput } from '../domain/shapes/installation/user.ts';
import { presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { hashPassword } from '../toolkit/passwords.ts';
import { defineTool } from '../toolkit/tool.ts';

export const addUser = defineTool({
  name: 'addUser',
  summary: 'Create a User who may sign in, or for whom API tokens are issued.',
  description:
    'Use it for a new person or program. Operator unless user_role is 1. Without a password the User cannot sign in to the web page and works ' +
    'with API tokens alone (createApiToken with userId); a person sets one on a terminal with: onair user password <username>. ' +
    'The right to issue tokens is given apart, with updateUserProfile.',
  tag: 'Users',
  aliases: ['account', 'new person', 'new operator', 'new administrator', 'create login', 'invite', 'member'],
  rest: 'POST /users',
  access: 'admin',
  effect: 'create',
  input: z.object(userCreate).strict(),
  output: dataOf(userOutput),
  async handle(ctx, { password, ...fields }) {
    // The hash takes a fifth of a second, so it is made before the commit, whose plan must not wait.
    const password_hash = password === null ? '' : await hashPassword(password);
    return ctx.commit((tx, now) => {
      assertUsernameFree(tx, fields);
      const stamps = { created_at: now, updated_at: now };
      const row = { ...stamps, ...fields, password_hash, profile: newProfile(password !== null) };
      return presentIn(tx, userResource, tx.insert('users', row));
    });
  },
});
