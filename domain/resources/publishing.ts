import { z } from 'zod/v3';
import { drmIssues } from '../drm.ts';
import { invalidInput, type FieldIssue } from '../errors.ts';
import { MANIFESTS } from '../playback.ts';
import { defineResource } from '../resource.ts';
import {
  presentPublishing,
  publishingCreate,
  publishingIssues,
  publishingOutput,
  PUBLISHING_TYPES,
  type Publishing,
} from '../publishing.ts';
import { dependentFitIssues } from './codec-fit.ts';
import { drmUseIssues } from './drm-use.ts';
import { assertRules, referenceIssues, withRow } from './rules.ts';
import { actionUsers, distinctUsers, groupUsers, livestreamUsers, runUsers } from './users.ts';

export const publishingResource = defineResource({
  collection: 'publishings',
  noun: 'Publishing',
  idParam: 'publishingId',
  shape: publishingCreate,
  output: publishingOutput,
  shortFields: ['id', 'name', 'type', 'primary_enabled', 'backup_enabled', 'description'],
  filters: { type: z.enum(PUBLISHING_TYPES).optional().describe('Only Publishings of this type.') },
  check: (row, view, present) => {
    const issues = publishingIssues(row);
    if (issues.length > 0) throw invalidInput(issues);
    const changed = withRow(view, 'publishings', row);
    assertRules([
      ...drmIssues(row),
      ...retryIssues(row),
      ...accessIssues(row),
      ...drmUseIssues(row, view, present),
      ...referenceIssues(view, 'remoteFolders', 'Remote Folder', 'settings.remotefolder', row.settings.remotefolder),
      ...dependentFitIssues(view, changed, 'publishings', present?.id, 'type'),
    ]);
  },
  users: (view, id) =>
    distinctUsers([
      ...livestreamUsers(view, 'publishingId', id),
      ...groupUsers(view, 'publishingGroups', 'Publishing group', id),
      ...runUsers(view, 'boundPublishings', id),
      ...actionUsers(view, 'publishings', ({ publishings }) => publishings.some((entry) => entry.publishingId === id)),
      ...actionUsers(
        view,
        'start',
        ({ startConfig }) => startConfig?.some((entry) => entry.publishingId === id) === true,
      ),
    ]),
  present: presentPublishing,
});

function retryIssues({ retry }: Publishing): FieldIssue[] {
  if (retry.initial_delay_ms <= retry.max_delay_ms) return [];
  const message = `${retry.initial_delay_ms} is more than retry.max_delay_ms (${retry.max_delay_ms}); the first delay cannot be the longest`;
  return [{ field: 'retry.initial_delay_ms', code: 'too_large', message }];
}

/** Only what a Device serves itself asks its viewers for anything. */
function accessIssues({ type, settings, access }: Publishing): FieldIssue[] {
  if (access !== 'token' || (MANIFESTS[type] !== undefined && settings.url === null)) return [];
  const why = MANIFESTS[type] === undefined ? `of type ${type}` : 'with settings.url, which its origin serves';
  const message = `token does not belong to a Destination ${why}; a Device asks for it on HLS / TS, DASH and CMAF without a url`;
  return [{ field: 'access', code: 'not_served_here', message }];
}
