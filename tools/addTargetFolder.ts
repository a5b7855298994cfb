import { targetFolderResource } from '../domain/rules/media/target-folder.ts';
import { addTool } from '../toolkit/crud.ts';

export const addTargetFolder = addTool(
  {
    name: 'addTargetFolder',
    summary: 'Create a Target Folder: FTP, SFTP or S3 storage for exported clips.',
    description:
      'Use it for FTP and SFTP (host, user, password) or S3 (bucket, access_key, secret_key; endpoint for other ' +
      'servers than AWS). Nothing is tried yet: call validateTargetFolder next. For backups of Recordings by NFS or ' +
      'WebDAV use addRemoteFolder.',
    tag: 'Target Folders',
    aliases: [
      'new export folder',
      'FTP server',
      'SFTP server',
      'S3 bucket',
      'object storage',
      'deliver clips',
      'upload target',
    ],
    rest: 'POST /targetfolders',
    access: 'admin',
  },
  targetFolderResource,
);
