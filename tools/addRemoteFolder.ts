import { remoteFolderResource } from '../domain/rules/media/remote-folder.ts';
import { addTool } from '../toolkit/crud.ts';

export const addRemoteFolder = addTool(
  {
    name: 'addRemoteFolder',
    summary: 'Create a Remote Folder: a network share to which Recordings are backed up.',
    description:
      'Use it for NFS or WebDAV storage; a Publishing of type Record names it in settings.remotefolder. NFS takes no ' +
      'user and no password. Nothing is tried yet: call validateRemoteFolder next. For FTP, SFTP or S3, where clips ' +
      'are exported to, use addTargetFolder.',
    tag: 'Remote Folders',
    aliases: [
      'new backup folder',
      'network share',
      'connect NAS',
      'NFS mount',
      'WebDAV share',
      'off-site backup',
      'archive recordings',
    ],
    rest: 'POST /remotefolders',
    access: 'admin',
  },
  remoteFolderResource,
);
