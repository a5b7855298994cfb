import {
  encodingCreate,
  encodingOutput,
  pipelineOf,
  presentEncoding,
  type Encoding,
} from '../../shapes/encodings/encoding.ts';
import { encodingIssues } from './encoding-rules.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { defineResource } from '../../ports/resource.ts';
import type { View } from '../../ports/store.ts';
import { ladderIssues } from './encoding-group.ts';
import { dependentFitIssues } from './codec-fit.ts';
import { assertRules, withRow } from '../rows/references.ts';
import { actionUsers, distinctUsers, groupUsers, livestreamUsers, runUsers } from '../rows/resource-users.ts';
import { called } from '../../base/sentence.ts';

export const encodingResource = defineResource({
  collection: 'encodings',
  noun: 'Encoding',
  idParam: 'encodingId',
  shape: encodingCreate,
  output: encodingOutput,
  shortFields: ['id', 'name', 'pipeline', 'description'],
  filters: {},
  check: (row, view, present) => {
    const changed = withRow(view, 'encodings', row);
    assertRules([
      ...encodingIssues(row, present),
      ...groupPipelineIssues(row, view, present),
      ...groupLadderIssues(row, view, present),
      ...dependentFitIssues(view, changed, 'encodings', present?.id, 'settings_video.codec'),
    ]);
  },
  users: (view, id) =>
    distinctUsers([
      ...livestreamUsers(view, 'encodingId', id),
      ...groupUsers(view, 'encodingGroups', 'Encoding group', id),
      ...runUsers(view, 'boundEncodings', id),
      ...actionUsers(
        view,
        'start',
        ({ startConfig }) => startConfig?.some(({ qualities }) => qualities?.includes(id) === true) === true,
      ),
    ]),
  present: presentEncoding,
});

/** An Encoding that is in a group with others cannot leave the group's pipeline. */
function groupPipelineIssues(row: Encoding, view: View, present: Readonly<Encoding> | undefined): FieldIssue[] {
  if (present === undefined || pipelineOf(present) === pipelineOf(row)) return [];
  const shared = view
    .find('encodingGroups', {})
    .rows.filter((group) => group.elements.length > 1 && group.elements.includes(row.id));
  return shared.map((group) => ({
    field: 'settings_video.codec',
    code: 'pipeline',
    message: `${called('Encoding group', group)} holds it with others of pipeline ${pipelineOf(present)}; take it out of the group first`,
  }));
}

/** A ladder that one encoder can make stays one: a member's own change can break it as well as the group's. */
function groupLadderIssues(row: Encoding, view: View, present: Readonly<Encoding> | undefined): FieldIssue[] {
  if (present === undefined) return [];
  const changed = withRow(view, 'encodings', row);
  const groups = view.find('encodingGroups', {}).rows.filter(({ elements }) => elements.includes(row.id));
  return groups.flatMap((group) => {
    const [issue] = ladderIssues(group, view).length > 0 ? [] : ladderIssues(group, changed);
    if (issue === undefined) return [];
    const message = `does not fit ${called('Encoding group', group)}: ${issue.message}`;
    return [{ field: 'settings_video', code: issue.code, message }];
  });
}
