import { z } from 'zod/v3';
import { changeUser, presentProfile, roleOf, userResource } from '../domain/rules/installation/user.ts';
import { reference } from '../domain/base/schema.ts';
import { profileOutput, profilePatch } from '../domain/shapes/installation/user.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const updateUserProfile = defineTool({
  name: 'updateUserProfile',
  summary: 'Change the profile of a User: role, right to issue API tokens, language.',
  description:
    'Use it to let an Administrator issue API tokens (api: true), or to set the language. role and admin are two words for user_role ' +
    'of the User and change with it. Only the fields sent change. The last active System Administrator cannot be demoted (conflict). ' +
    'For name, password or active use updateUser.',
  tag: 'Users',
  aliases: ['permissions', 'rights', 'allow tokens', 'set language', 'promote', 'demote', 'role', 'preferences'],
  rest: 'PUT /users/{userId}/profile',
  access: 'admin',
  effect: 'update',
  input: z.object({ userId: reference('User'), ...profilePatch }).strict(),
  output: dataOf(profileOutput),
  handle: (ctx, { userId, role, admin, ...profile }) =>
    ctx.commit((tx, now) => {
      const present = assertRow(tx, userResource, userId, ctx.request.expectedVersions);
      const user_role = roleOf(role, admin) ?? present.user_role;
      const row = changeUser(tx, present, { user_role, profile }, now, ctx.caller.sessionId);
      return { body: { data: presentProfile(row) }, version: tx.version('users', userId) };
    }),
});
