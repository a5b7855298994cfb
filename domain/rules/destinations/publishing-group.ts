import { publishingGroupCreate, publishingGroupOutput } from '../../shapes/destinations/publishing.ts';
import { defineResource } from '../../ports/resource.ts';
import { dependentFitIssues } from '../encodings/codec-fit.ts';
import { assertRules, elementIssues, withRow } from '../rows/references.ts';
import { livestreamUsers } from '../rows/resource-users.ts';

export const publishingGroupResource = defineResource({
  collection: 'publishingGroups',
  noun: 'Publishing group',
  idParam: 'groupId',
  shape: publishingGroupCreate,
  output: publishingGroupOutput,
  shortFields: ['id', 'name', 'elements', 'description'],
  filters: {},
  check: (row, view, present) => {
    const changed = withRow(view, 'publishingGroups', row);
    assertRules([
      ...elementIssues(view, 'publishings', 'Publishing', row.elements),
      ...dependentFitIssues(view, changed, 'publishingGroups', present?.id, 'elements'),
    ]);
  },
  users: (view, id) => livestreamUsers(view, 'publishingGroupId', id),
  present: (row) => row,
});
