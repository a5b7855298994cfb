import { drmProviderResource } from '../domain/rules/destinations/drm-provider.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteDrmProvider = deleteTool(
  {
    name: 'deleteDrmProvider',
    summary: 'Delete a DRM provider that no Publishing uses.',
    description:
      'Use it to remove a key server and its credentials for good. It is refused (in_use) while the drm block of a Publishing names it; ' +
      'the answer names them. To stop its use for a while set enabled to false with updateDrmProvider.',
    tag: 'DRM',
    aliases: ['remove key server', 'drop SPEKE provider', 'forget DRM credentials', 'encryption provider'],
    rest: 'DELETE /settings/integrations/drmproviders/{providerId}',
    access: 'admin',
  },
  drmProviderResource,
);
