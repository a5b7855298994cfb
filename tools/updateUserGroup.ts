import { userGroupResource } from '../domain/rules/installation/user-group.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateUserGroup = updateTool(
  {
    name: 'updateUserGroup',
    summary: 'Change a User group: its members or its name.',
    description:
      'Use it to add or remove members. elements is replaced as a whole: send the ids of all members. The members must exist (422), ' +
      'each is named once. Nobody gains or loses a permission by it. For the rights of a User use updateUser.',
    tag: 'Users',
    aliases: ['team', 'edit team', 'add member', 'remove member', 'shift', 'rename crew'],
    rest: 'PUT /usergroups/{groupId}',
    access: 'admin',
  },
  userGroupResource,
);
