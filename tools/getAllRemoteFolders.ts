import { remoteFolderResource } from '../domain/rules/media/remote-folder.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllRemoteFolders = listTool(
  {
    name: 'getAllRemoteFolders',
    summary: 'List Remote Folders (network shares for backups) and whether they work.',
    description:
      'Use it to find the id for settings.remotefolder of a Record Publishing, or to see which shares were last found INVALID. ' +
      'Passwords are never shown. For folders that clips are exported to use getAllTargetFolders.',
    tag: 'Remote Folders',
    aliases: [
      'backup folders',
      'network shares',
      'NAS',
      'NFS shares',
      'WebDAV folders',
      'recording backups',
      'storage',
    ],
    rest: 'GET /remotefolders',
    access: 'admin',
  },
  remoteFolderResource,
);
