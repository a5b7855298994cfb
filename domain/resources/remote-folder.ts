import { z } from 'zod/v3';
import { invalidInput } from '../errors.ts';
import {
  completeRemoteFolder,
  REMOTE_PROTOCOLS,
  remoteFolderCreate,
  remoteFolderIssues,
  remoteFolderOutput,
  sameRemoteSettings,
  type RemoteFolder,
} from '../folder.ts';
import { defineResource } from '../resource.ts';
import type { Finding } from '../validation.ts';
import { changedMeanwhile, outcomeOf } from './validated.ts';

export const remoteFolderResource = defineResource({
  collection: 'remoteFolders',
  noun: 'Remote Folder',
  idParam: 'folderId',
  shape: remoteFolderCreate,
  output: remoteFolderOutput,
  shortFields: ['id', 'name', 'protocol', 'host', 'folder', 'validation_status'],
  filters: { protocol: z.enum(REMOTE_PROTOCOLS).optional().describe('Only Remote Folders of this protocol.') },
  complete: completeRemoteFolder,
  check: (row) => {
    const issues = remoteFolderIssues(row);
    if (issues.length > 0) throw invalidInput(issues);
  },
  users: (view, id) =>
    view
      .find('publishings', { where: { type: 'Record' } })
      .rows.filter(({ settings }) => settings.remotefolder === id)
      .map((row) => ({ resource: 'Publishing', id: row.id, name: row.name })),
  present: ({ password, ...row }) => ({ ...row, has_password: password !== null }),
});

/** Throws AppError conflict when the settings are no longer those that were tried. */
export function validatedRemoteFolder(
  present: Readonly<RemoteFolder>,
  tried: Readonly<RemoteFolder>,
  finding: Finding,
  now: string,
): RemoteFolder {
  if (!sameRemoteSettings(present, tried)) throw changedMeanwhile('Remote Folder', present.id, 'validateRemoteFolder');
  return { ...present, ...outcomeOf(finding, now) };
}
