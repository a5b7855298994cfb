import { remoteFolderResource } from '../domain/rules/media/remote-folder.ts';
import { getTool } from '../toolkit/crud.ts';

export const getRemoteFolderById = getTool(
  {
    name: 'getRemoteFolderById',
    summary: 'Show one Remote Folder with the outcome of its last validation.',
    description:
      'Use it to see why a share is INVALID (validation_error) or when it was last tried. The password is never ' +
      'shown. To try it now: validateRemoteFolder.',
    tag: 'Remote Folders',
    aliases: ['backup folder', 'network share', 'NAS', 'NFS share', 'WebDAV folder', 'validation error'],
    rest: 'GET /remotefolders/{folderId}',
    access: 'admin',
  },
  remoteFolderResource,
);
