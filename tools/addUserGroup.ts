import { userGroupResource } from '../domain/rules/installation/user-group.ts';
import { addTool } from '../toolkit/crud.ts';

export const addUserGroup = addTool(
  {
    name: 'addUserGroup',
    summary: 'Create a User group from the ids of its members.',
    description:
      'Use it to keep Users together under one name, for instance a shift or a desk. The members must exist (422), each is named once. ' +
      'No permissions are attached to a group: those follow from the role (updateUser).',
    tag: 'Users',
    aliases: ['team', 'new team', 'shift', 'desk', 'department', 'crew'],
    rest: 'POST /usergroups',
    access: 'admin',
  },
  userGroupResource,
);
