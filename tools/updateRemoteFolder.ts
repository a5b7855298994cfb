import { remoteFolderResource } from '../domain/rules/media/remote-folder.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateRemoteFolder = updateTool(
  {
    name: 'updateRemoteFolder',
    summary: 'Change a Remote Folder: share, credentials or name.',
    description:
      'Use it after a move or a new password. What is left out stays, the stored password too; null clears it. Any ' +
      'change but that of the name sets validation_status back to UNKNOWN: call validateRemoteFolder next.',
    tag: 'Remote Folders',
    aliases: ['edit backup folder', 'network share', 'NAS', 'change share password', 'NFS', 'WebDAV'],
    rest: 'PUT /remotefolders/{folderId}',
    access: 'admin',
  },
  remoteFolderResource,
);
