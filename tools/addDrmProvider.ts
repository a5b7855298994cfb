import { drmProviderResource } from '../domain/rules/destinations/drm-provider.ts';
import { addTool } from '../toolkit/crud.ts';

export const addDrmProvider = addTool(
  {
    name: 'addDrmProvider',
    summary: 'Add a DRM provider: a SPEKE v2 key server, or keys held here.',
    description:
      'Use it before a Publishing is encrypted. SPEKE needs speke_url, with username and password or api_key as its server asks; STATIC needs ' +
      'credentials.keys and is meant for tests and ClearKey. Credentials are write-only. It starts as UNKNOWN: try it with validateDrmProvider.',
    tag: 'DRM',
    aliases: ['new key server', 'SPEKE', 'CPIX', 'Widevine', 'PlayReady', 'FairPlay', 'content protection', 'ClearKey'],
    rest: 'POST /settings/integrations/drmproviders',
    access: 'admin',
  },
  drmProviderResource,
);
