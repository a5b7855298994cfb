import { userGroupResource } from '../domain/rules/installation/user-group.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteUserGroup = deleteTool(
  {
    name: 'deleteUserGroup',
    summary: 'Delete a User group; its members stay.',
    description:
      'Use it to dissolve a group for good. No User is deleted or loses a permission by it. To remove single members use ' +
      'updateUserGroup.',
    tag: 'Users',
    aliases: ['team', 'dissolve team', 'remove shift', 'remove department', 'drop crew'],
    rest: 'DELETE /usergroups/{groupId}',
    access: 'admin',
  },
  userGroupResource,
);
