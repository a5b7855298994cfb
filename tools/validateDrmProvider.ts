import { drmProviderResource, PROVIDER_SETTINGS } from '../domain/rules/destinations/drm-provider.ts';
import { keepFinding } from '../domain/rules/rows/validated.ts';
import { validateTool } from '../toolkit/subjects/validate.ts';

export const validateDrmProvider = validateTool(
  {
    name: 'validateDrmProvider',
    summary: 'Validate a DRM provider: ask its key server for a key.',
    description:
      'Use it after adding or changing one. A key for a content id of its own (onair-validation) is really requested for all ' +
      'supported_systems, within 15 s, and dropped. Both outcomes are answers: validation_status is VALID, or INVALID with ' +
      'validation_error. STATIC: its keys are looked up. Refused (409) when its settings change meanwhile. To correct it use ' +
      'updateDrmProvider.',
    tag: 'DRM',
    aliases: ['test key server', 'check DRM credentials', 'SPEKE handshake', 'try encryption provider', 'revalidate'],
    rest: 'POST /settings/integrations/drmproviders/{providerId}/validate',
    access: 'admin',
  },
  drmProviderResource,
  {
    check: (integrations, provider, signal) => integrations.checkDrmProvider(provider, signal),
    keep: keepFinding('DRM provider', 'validateDrmProvider', PROVIDER_SETTINGS),
  },
);
