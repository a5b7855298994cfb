import { z } from 'zod/v3';
import { removeUser, userResource } from '../domain/rules/installation/user.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const deleteUser = defineTool({
  name: 'deleteUser',
  summary: 'Delete a User with all sessions and API tokens.',
  description:
    'Use it when somebody leaves for good. Tokens and sessions of the User stop working at once, and all User groups lose the member; ' +
    'what the User made stays, and the audit goes on naming it. To shut somebody out for a while use updateUser with active: false. ' +
    'The last active System Administrator cannot be deleted (conflict).',
  tag: 'Users',
  aliases: ['account', 'remove person', 'delete login', 'remove operator', 'offboard', 'remove access', 'member'],
  rest: 'DELETE /users/{userId}',
  access: 'admin',
  effect: 'delete',
  endsAccess: () => true,
  input: z.object({ userId: reference('User') }).strict(),
  output: deletedOutput,
  handle: (ctx, { userId }) =>
    ctx.commit((tx, now) => {
      removeUser(tx, assertRow(tx, userResource, userId, ctx.request.expectedVersions), now);
      return { body: { data: { id: userId, deleted: true as const } } };
    }),
});
