import { targetFolderResource } from '../domain/rules/media/target-folder.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllTargetFolders = listTool(
  {
    name: 'getAllTargetFolders',
    summary: 'List Target Folders (FTP, SFTP, S3) and whether they work.',
    description:
      'Use it to find where clips can be exported to, or which folders were last found INVALID. Passwords and secret keys are never ' +
      'shown. For shares that Recordings are backed up to use getAllRemoteFolders.',
    tag: 'Target Folders',
    aliases: [
      'export folders',
      'delivery folders',
      'FTP servers',
      'SFTP',
      'S3 buckets',
      'clip destinations',
      'storage',
    ],
    rest: 'GET /targetfolders',
    access: 'admin',
  },
  targetFolderResource,
);
