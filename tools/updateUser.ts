import { z } from 'zod/v3';
import { changeUser, userResource, withPassword } from '../domain/rules/installation/user.ts';
import { reference, toPartial } from '../domain/base/schema.ts';
import { userCreate, userOutput } from '../domain/shapes/installation/user.ts';
import { assertRow, getRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { hashPassword } from '../toolkit/passwords.ts';
import { defineTool } from '../toolkit/tool.ts';

export const updateUser = defineTool({
  name: 'updateUser',
  summary: 'Change a User: name, address, role, password, or whether active.',
  description:
    'Use it to promote or demote (user_role), to shut somebody out at once (active: false ends sessions and makes tokens answer 401; ' +
    'true lets the tokens in again), or to set a password, which ends the other sessions of the User; null takes it away. Only the ' +
    'fields sent change. The last active System Administrator can neither be demoted nor made inactive (conflict). For the right to ' +
    'issue tokens use updateUserProfile.',
  tag: 'Users',
  aliases: ['account', 'reset password', 'promote', 'demote', 'disable login', 'lock out', 'suspend', 'rename person'],
  rest: 'PUT /users/{userId}',
  access: 'admin',
  effect: 'update',
  endsAccess: ({ active, password, user_role }) =>
    active === false || password !== undefined || user_role !== undefined,
  input: z.object({ userId: reference('User'), ...toPartial(userCreate).shape }).strict(),
  output: dataOf(userOutput),
  async handle(ctx, { userId, password, ...fields }) {
    await getRow(ctx.store, userResource, userId);
    // The hash takes a fifth of a second, so it is made before the commit, whose plan must not wait.
    const password_hash =
      typeof password === 'string' ? await hashPassword(password) : password === null ? '' : undefined;
    return ctx.commit((tx, now) => {
      const present = assertRow(tx, userResource, userId, ctx.request.expectedVersions);
      const change = withPassword(fields, password_hash, present);
      return presentIn(tx, userResource, changeUser(tx, present, change, now, ctx.caller.sessionId));
    });
  },
});
