import { z } from 'zod/v3';
import { invalidInput } from '../../base/errors.ts';
import {
  REMOTE_SETTINGS,
  REMOTE_PROTOCOLS,
  remoteFolderCreate,
  remoteFolderIssues,
  remoteFolderOutput,
} from '../../shapes/media/folder.ts';
import { defineResource } from '../../ports/resource.ts';
import { withValidation } from '../../base/validation.ts';
import { ownersOf } from '../../types/destination-questions.ts';

export const remoteFolderResource = defineResource({
  collection: 'remoteFolders',
  noun: 'Remote Folder',
  idParam: 'folderId',
  shape: remoteFolderCreate,
  output: remoteFolderOutput,
  shortFields: ['id', 'name', 'protocol', 'host', 'folder', 'validation_status'],
  filters: { protocol: z.enum(REMOTE_PROTOCOLS).optional().describe('Only Remote Folders of this protocol.') },
  complete: (row, present) => withValidation(row, present, REMOTE_SETTINGS),
  check: (row) => {
    const issues = remoteFolderIssues(row);
    if (issues.length > 0) throw invalidInput(issues);
  },
  users: (view, id) => [
    ...view
      .find('publishings', { where: { type: { in: ownersOf('remotefolder') } } })
      .rows.filter(({ settings }) => settings.remotefolder === id)
      .map((row) => ({ resource: 'Publishing', id: row.id, name: row.name })),
    // A Recording that is to be deleted one day waits for its backup there.
    ...view
      .find('recordings', { where: { remotefolder: id } })
      .rows.filter(({ delete_after, backup }) => delete_after !== null && backup?.state !== 'verified')
      .map((row) => ({ resource: 'Recording', id: row.id, name: row.name })),
  ],
  present: ({ password, ...row }) => ({ ...row, has_password: password !== null }),
});
