import { drmProviderResource } from '../domain/rules/destinations/drm-provider.ts';
import { getTool } from '../toolkit/crud.ts';

export const getDrmProviderById = getTool(
  {
    name: 'getDrmProviderById',
    summary: 'Show one DRM provider (key server) and its last validation.',
    description:
      'Use it to see the URL, tenant, DRM systems and last validation of a key server. Credentials and keys are never answered: ' +
      'has_credentials says whether any are stored. To try them use validateDrmProvider.',
    tag: 'DRM',
    aliases: ['key server', 'SPEKE', 'CPIX', 'content protection', 'encryption provider'],
    rest: 'GET /settings/integrations/drmproviders/{providerId}',
    access: 'admin',
  },
  drmProviderResource,
);
