/** A Live stream is bound to a single resource or to a group of them, never to both (docs/decisions/one-of-pairs.md). */
import type { FieldIssue } from '../../base/errors.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';

type Single = 'encodingId' | 'publishingId';
type Group = 'encodingGroupId' | 'publishingGroupId';

/** Setting one of the pair clears the other, if that one is only what was stored. */
export function clearOther<T extends Pick<Livestream, Single | Group>>(
  row: T,
  present: Readonly<T> | undefined,
  single: Single,
  group: Group,
): T {
  if (present === undefined || row[single] === null || row[group] === null) return row;
  if (row[single] === present[single]) return { ...row, [single]: null };
  if (row[group] === present[group]) return { ...row, [group]: null };
  return row;
}

export function pairIssues(row: Pick<Livestream, Single | Group>, single: Single, group: Group): FieldIssue[] {
  if ((row[single] === null) !== (row[group] === null)) return [];
  const problem = row[single] === null ? 'neither is set' : 'both are set';
  return [{ field: single, code: 'one_of', message: `exactly one of ${single} and ${group} is needed; ${problem}` }];
}
