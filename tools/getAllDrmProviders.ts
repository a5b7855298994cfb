import { drmProviderResource } from '../domain/rules/destinations/drm-provider.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllDrmProviders = listTool(
  {
    name: 'getAllDrmProviders',
    summary: 'List the DRM providers (key servers) and whether they were validated.',
    description:
      'Use it to find where content keys come from: the id that the drm block of a Publishing names as provider_id, its DRM systems, ' +
      'the outcome of its last validation. Credentials are never answered. Over MCP it answers 20 short rows a page; fields=* brings ' +
      'all. To try one use validateDrmProvider.',
    tag: 'DRM',
    aliases: [
      'key servers',
      'SPEKE',
      'CPIX',
      'content protection',
      'Widevine',
      'PlayReady',
      'FairPlay',
      'encryption providers',
    ],
    rest: 'GET /settings/integrations/drmproviders',
    access: 'admin',
  },
  drmProviderResource,
);
