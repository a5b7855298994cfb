/** Rules between the rows of a whole document; stored-rows.ts checks each row by itself. */
import type { ResidentName } from '../../ports/collections.ts';
import { refusedDocument } from '../../base/document-refusal.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { ROLE } from '../../shapes/installation/security.ts';
import type { View } from '../../ports/store.ts';

/** The field, the collection of its id, and the noun for it. */
type Reference = readonly [field: string, collection: ResidentName, noun: string];

const REFERENCES: readonly (readonly ['livestreams' | 'tokens', readonly Reference[]])[] = [
  [
    'livestreams',
    [
      ['channelId', 'channels', 'Channel'],
      ['encodingId', 'encodings', 'Encoding'],
      ['encodingGroupId', 'encodingGroups', 'Encoding group'],
      ['publishingId', 'publishings', 'Publishing'],
      ['publishingGroupId', 'publishingGroups', 'Publishing group'],
      ['deviceId', 'devices', 'Device'],
      ['idEncoderGroup', 'deviceGroups', 'Device group'],
    ],
  ],
  ['tokens', [['userId', 'users', 'User']]],
];

/** Throws AppError invalid_input, with the rows by name, for a store that nobody could administer or that refers to missing rows. */
export function assertInstallation(view: View): void {
  const issues = [...adminIssues(view), ...referenceIssues(view)];
  if (issues.length > 0) throw refusedDocument(issues);
}

/** An administrator without a password can be given one (onair user password). */
function adminIssues(view: View): FieldIssue[] {
  if (view.find('users', { where: { user_role: ROLE.admin, active: true }, limit: 1 }).total > 0) return [];
  const message = `holds no active System Administrator (user_role ${ROLE.admin}, active true), so nobody could administer this server`;
  return [{ field: 'users', code: 'required', message }];
}

function referenceIssues(view: View): FieldIssue[] {
  return REFERENCES.flatMap(([collection, references]) =>
    view
      .find(collection, {})
      .rows.flatMap((row) =>
        references.flatMap(([field, target, noun]) => issueOf(view, collection, { row, field, target, noun })),
      ),
  );
}

interface IssueOfOptions {
  row: { id: number; name: string };
  field: string;
  target: ResidentName;
  noun: string;
}

function issueOf(view: View, collection: ResidentName, { row, field, target, noun }: IssueOfOptions): FieldIssue[] {
  const id = (row as unknown as Record<string, number | null | undefined>)[field];
  if (id == null || view.get(target, id) !== undefined) return [];
  const place = `${collection} ${row.id} ${JSON.stringify(row.name)}, ${field}`;
  return [{ field: place, code: 'not_found', message: `there is no ${noun} ${id} in the document` }];
}
