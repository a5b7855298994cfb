import { z } from 'zod/v3';
import { invalidInput } from '../errors.ts';
import {
  completeTargetFolder,
  sameTargetSettings,
  TARGET_TYPES,
  targetFolderCreate,
  targetFolderIssues,
  targetFolderOutput,
  type TargetFinding,
  type TargetFolder,
} from '../folder.ts';
import { defineResource } from '../resource.ts';
import { changedMeanwhile, outcomeOf } from './validated.ts';

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
  // Two first validations at once find the same key: the second finds it stored.
  const known =
    present.host_fingerprint === finding.hostFingerprint ? tried.host_fingerprint : present.host_fingerprint;
  if (!sameTargetSettings({ ...present, host_fingerprint: known }, tried))
    throw changedMeanwhile('Target Folder', present.id, 'validateTargetFolder');
  // Trust on first use: a key is stored with the first success, and only a caller replaces it.
  const host_fingerprint = present.host_fingerprint ?? (finding.valid ? (finding.hostFingerprint ?? null) : null);
  return { ...present, host_fingerprint, ...outcomeOf(finding, now) };
}
