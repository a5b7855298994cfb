import { z } from 'zod/v3';
import { invalidInput } from '../../base/errors.ts';
import {
  completeTargetFolder,
  sameTargetSettings,
  TARGET_TYPES,
  targetFolderCreate,
  targetFolderIssues,
  targetFolderOutput,
  tlsOf,
  type TargetFinding,
  type TargetFolder,
} from '../../shapes/media/folder.ts';
import { defineResource } from '../../ports/resource.ts';
import { changedMeanwhile, outcomeOf } from '../rows/validated.ts';

export const targetFolderResource = defineResource({
  collection: 'targetFolders',
  noun: 'Target Folder',
  idParam: 'folderId',
  shape: targetFolderCreate,
  output: targetFolderOutput,
  shortFields: ['id', 'name', 'type', 'host', 'bucket', 'folder', 'validation_status'],
  filters: { type: z.enum(TARGET_TYPES).optional().describe('Only Target Folders of this type.') },
  complete: completeTargetFolder,
  check: (row) => {
    const issues = targetFolderIssues(row);
    if (issues.length > 0) throw invalidInput(issues);
  },
  present: ({ password, secret_key, ...row }) => ({
    ...row,
    tls: tlsOf(row),
    secure: row.secure ?? null,
    has_password: password !== null,
    has_secret_key: secret_key !== null,
  }),
});

/** Throws AppError conflict when the settings are no longer those that were tried. */
export function validatedTargetFolder(
  present: Readonly<TargetFolder>,
  tried: Readonly<TargetFolder>,
  finding: TargetFinding,
  now: string,
): TargetFolder {
  // Two first validations at once find the same key, and TLS: the second finds it stored.
  const knownServer = {
    ...present,
    host_fingerprint:
      present.host_fingerprint === finding.hostFingerprint ? tried.host_fingerprint : present.host_fingerprint,
    tls: present.tls === 'required' && finding.secure === true ? tried.tls : present.tls,
  };
  if (!sameTargetSettings(knownServer, tried))
    throw changedMeanwhile('Target Folder', present.id, 'validateTargetFolder');
  if (!finding.valid) return { ...present, ...outcomeOf(finding, now) };
  // This is trust on first use: the key, and the use of TLS, are stored with the first success, and only a caller replaces them.
  const host_fingerprint = present.host_fingerprint ?? finding.hostFingerprint ?? null;
  const secure = finding.secure ?? null;
  const tls = secure === true && tlsOf(present) === 'offered' ? 'required' : tlsOf(present);
  return { ...present, host_fingerprint, tls, secure, ...outcomeOf(finding, now) };
}
