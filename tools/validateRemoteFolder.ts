import { REMOTE_SETTINGS } from '../domain/shapes/media/folder.ts';
import { remoteFolderResource } from '../domain/rules/media/remote-folder.ts';
import { keepFinding } from '../domain/rules/rows/validated.ts';
import { validateTool } from '../toolkit/subjects/validate.ts';

/** It is longer than the check, which ends by itself after 15 s with a reason that says how far it got. */
const OWN_BOUND_MS = 20_000;

export const validateRemoteFolder = validateTool(
  {
    name: 'validateRemoteFolder',
    summary: 'Validate a Remote Folder: connect, write, read back and delete a small file.',
    description:
      'Use it after a create or change, or when backups fail. It takes 15 seconds at most and answers the Remote Folder: ' +
      'validation_status VALID or INVALID, with the reason in validation_error. Refused (409) when the settings change meanwhile. To ' +
      'correct it use updateRemoteFolder.',
    tag: 'Remote Folders',
    aliases: [
      'test backup folder',
      'check network share',
      'test NAS',
      'check credentials',
      'test connection',
      'is the share writable',
    ],
    rest: 'POST /remotefolders/{folderId}/validate',
    access: 'admin',
  },
  remoteFolderResource,
  {
    check: (integrations, folder, signal) => integrations.checkRemoteFolder(folder, signal),
    keep: keepFinding('Remote Folder', 'validateRemoteFolder', REMOTE_SETTINGS),
    boundMs: OWN_BOUND_MS,
  },
);
