import { drmProviderResource } from '../domain/rules/destinations/drm-provider.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateDrmProvider = updateTool(
  {
    name: 'updateDrmProvider',
    summary: 'Change a DRM provider: its URL, credentials, systems or name.',
    description:
      'Use it to rotate credentials or to move to another key server. Only what is sent changes, null clears; credentials.keys is ' +
      'replaced as a whole. A change of what the server is spoken to with sets validation_status to UNKNOWN. A DRM system that a ' +
      'Publishing advertises cannot be withdrawn (422). What is on air changes at its next start. To try it use validateDrmProvider.',
    tag: 'DRM',
    aliases: [
      'key server',
      'rotate DRM credentials',
      'SPEKE URL',
      'edit encryption provider',
      'disable DRM',
      'static keys',
    ],
    rest: 'PUT /settings/integrations/drmproviders/{providerId}',
    access: 'admin',
  },
  drmProviderResource,
);
