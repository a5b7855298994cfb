import { targetFolderResource, validatedTargetFolder } from '../domain/rules/media/target-folder.ts';
import { validateTool } from '../toolkit/subjects/validate.ts';

/** It is longer than the check, which ends by itself after 15 s with a reason that says how far it got. */
const OWN_BOUND_MS = 20_000;

export const validateTargetFolder = validateTool(
  {
    name: 'validateTargetFolder',
    summary: 'Validate a Target Folder: connect, write, read back and delete a small file.',
    description:
      'Use it after a create or change, or when exports fail. It takes 15 seconds at most and answers the Target Folder: ' +
      'validation_status VALID or INVALID, with the reason in validation_error. The first success stores an SFTP host key. Refused ' +
      '(409) when the settings change meanwhile. To correct it use updateTargetFolder.',
    tag: 'Target Folders',
    aliases: [
      'test export folder',
      'test FTP login',
      'test SFTP',
      'check S3 bucket',
      'check credentials',
      'test connection',
    ],
    rest: 'POST /targetfolders/{folderId}/validate',
    access: 'admin',
  },
  targetFolderResource,
  {
    check: (integrations, folder, signal) => integrations.checkTargetFolder(folder, signal),
    keep: validatedTargetFolder,
    boundMs: OWN_BOUND_MS,
  },
);
