import { remoteFolderResource } from '../domain/rules/media/remote-folder.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteRemoteFolder = deleteTool(
  {
    name: 'deleteRemoteFolder',
    summary: 'Delete a Remote Folder; files on the share stay.',
    description:
      'Use it when a share is no longer used. Refused (409) while a Publishing of type Record names it: clear settings.remotefolder ' +
      'there first, with updatePublishing.',
    tag: 'Remote Folders',
    aliases: ['remove backup folder', 'network share', 'disconnect NAS', 'NFS', 'WebDAV'],
    rest: 'DELETE /remotefolders/{folderId}',
    access: 'admin',
  },
  remoteFolderResource,
);
