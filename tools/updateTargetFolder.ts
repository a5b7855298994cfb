import { targetFolderResource } from '../domain/rules/media/target-folder.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateTargetFolder = updateTool(
  {
    name: 'updateTargetFolder',
    summary: 'Change a Target Folder: server, credentials or name.',
    description:
      'Use it after a move or new credentials. What is left out stays, stored secrets too; null clears. Any change ' +
      'but that of the name sets validation_status back to UNKNOWN: call validateTargetFolder next. host_fingerprint ' +
      'null accepts a new SFTP host key at the next validation.',
    tag: 'Target Folders',
    aliases: ['edit export folder', 'FTP server', 'SFTP server', 'S3 bucket', 'change access key', 'rotate password'],
    rest: 'PUT /targetfolders/{folderId}',
    access: 'admin',
  },
  targetFolderResource,
);
