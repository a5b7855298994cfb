import { defineResource } from '../../ports/resource.ts';
import { userGroupCreate, userGroupOutput } from '../../shapes/installation/user-group.ts';
import { assertRules, elementIssues } from '../rows/references.ts';

export const userGroupResource = defineResource({
  collection: 'userGroups',
  noun: 'User group',
  idParam: 'groupId',
  shape: userGroupCreate,
  output: userGroupOutput,
  shortFields: ['id', 'name', 'elements'],
  filters: {},
  check: (row, view) => assertRules(elementIssues(view, 'users', 'User', row.elements)),
  present: (row) => row,
});
