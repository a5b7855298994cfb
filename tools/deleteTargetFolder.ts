import { targetFolderResource } from '../domain/rules/media/target-folder.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteTargetFolder = deleteTool(
  {
    name: 'deleteTargetFolder',
    summary: 'Delete a Target Folder; files on the server stay.',
    description:
      'Use it when an export folder is no longer used. What was exported stays where it is, and the stored credentials are gone for ' +
      'good. To change its server or credentials use updateTargetFolder.',
    tag: 'Target Folders',
    aliases: ['remove export folder', 'FTP server', 'SFTP server', 'S3 bucket'],
    rest: 'DELETE /targetfolders/{folderId}',
    access: 'admin',
  },
  targetFolderResource,
);
