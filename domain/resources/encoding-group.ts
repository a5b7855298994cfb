import { encodingGroupCreate, encodingGroupOutput, pipelineOf, type EncodingGroup } from '../encoding.ts';
import type { FieldIssue } from '../errors.ts';
import { defineResource, type Lookup } from '../resource.ts';
import { dependentFitIssues } from './codec-fit.ts';
import { assertRules, elementIssues, withRow } from './rules.ts';
import { livestreamUsers } from './users.ts';

export const encodingGroupResource = defineResource({
  collection: 'encodingGroups',
  noun: 'Encoding group',
  idParam: 'groupId',
  shape: encodingGroupCreate,
  output: encodingGroupOutput,
  shortFields: ['id', 'name', 'pipeline', 'quality_order', 'elements'],
  filters: {},
  check: (row, view, present) => {
    const changed = withRow(view, 'encodingGroups', row);
    assertRules([
      ...elementIssues(view, 'encodings', 'Encoding', row.elements),
      ...pipelineIssues(row, view),
      ...dependentFitIssues(view, changed, 'encodingGroups', present?.id, 'elements'),
    ]);
  },
  users: (view, id) => livestreamUsers(view, 'encodingGroupId', id),
  related: (row) => row.elements.slice(0, 1).map((id) => ['encodings', id] as const),
  present: (row, lookup) => ({ ...row, pipeline: pipelineOfMember(lookup, row.elements[0]) ?? null }),
});

function pipelineOfMember(lookup: Lookup, id: number | undefined): string | undefined {
  const encoding = id === undefined ? undefined : lookup.get('encodings', id);
  return encoding && pipelineOf(encoding);
}

function pipelineIssues({ elements }: EncodingGroup, lookup: Lookup): FieldIssue[] {
  const first = pipelineOfMember(lookup, elements[0]);
  return elements.flatMap((id, index) => {
    const pipeline = pipelineOfMember(lookup, id);
    if (first === undefined || pipeline === undefined || pipeline === first) return [];
    const message = `Encoding ${id} is of pipeline ${pipeline}, the first member of ${first}; all members must share one`;
    return [{ field: `elements.${index}`, code: 'pipeline', message }];
  });
}
