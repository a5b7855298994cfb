import { userGroupResource } from '../domain/rules/installation/user-group.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllUserGroups = listTool(
  {
    name: 'getAllUserGroups',
    summary: 'List the User groups with the ids of their members.',
    description:
      'Use it to see which Users (elements) belong together, for instance a shift or a desk. A group grants nothing: what a User may ' +
      'do follows from the role alone. For the people themselves use getAllUsers.',
    tag: 'Users',
    aliases: ['teams', 'shifts', 'desks', 'departments', 'members of a group', 'crews'],
    rest: 'GET /usergroups',
    access: 'admin',
  },
  userGroupResource,
);
