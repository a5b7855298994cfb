import { targetFolderResource } from '../domain/rules/media/target-folder.ts';
import { getTool } from '../toolkit/crud.ts';

export const getTargetFolderById = getTool(
  {
    name: 'getTargetFolderById',
    summary: 'Show one Target Folder with the outcome of its last validation.',
    description:
      'Use it to see why a folder is INVALID (validation_error) or which host key an SFTP server has. Secrets are ' +
      'never shown. To try it now: validateTargetFolder.',
    tag: 'Target Folders',
    aliases: ['export folder', 'FTP server', 'SFTP server', 'S3 bucket', 'delivery folder', 'validation error'],
    rest: 'GET /targetfolders/{folderId}',
    access: 'admin',
  },
  targetFolderResource,
);
