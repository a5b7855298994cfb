import { userResource } from '../domain/resources/user.ts';
import { getTool } from '../toolkit/crud.ts';

export const getUserById = getTool(
  {
    name: 'getUserById',
    summary: 'Show one User: name, e-mail address, role, whether active.',
    description:
      'Use it before a change of a User. The password is never shown, only whether there is one (has_password). ' +
      'Language, password version and the right to issue tokens are in getUserProfile.',
    tag: 'Users',
    aliases: ['account', 'person', 'operator', 'administrator', 'login', 'member', 'who is'],
    rest: 'GET /users/{userId}',
    access: 'admin',
  },
  userResource,
);
