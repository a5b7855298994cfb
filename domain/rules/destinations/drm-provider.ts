import { z } from 'zod/v3';
import {
  completeProvider,
  drmProviderCreate,
  drmProviderOutput,
  presentProvider,
  PROVIDER_TYPES,
  providerIssues,
  type DrmProvider,
} from '../../shapes/destinations/drm-provider.ts';
import { invalidInput, type FieldIssue } from '../../base/errors.ts';
import { defineResource, type ResourceUser } from '../../ports/resource.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import type { View } from '../../ports/store.ts';
import { withValidation } from '../../base/validation.ts';
import { assertRules } from '../rows/references.ts';
import { called } from '../../base/sentence.ts';

/** Settings that a check of the provider uses; another name or enabled flag does not undo its result. */
export const PROVIDER_SETTINGS = [
  'provider_type',
  'speke_url',
  'tenant_id',
  'supported_systems',
  'encrypt_keys',
  'credentials',
] as const;

export const drmProviderResource = defineResource({
  collection: 'drmProviders',
  noun: 'DRM provider',
  idParam: 'providerId',
  shape: drmProviderCreate,
  output: drmProviderOutput,
  shortFields: ['id', 'name', 'provider_type', 'enabled', 'supported_systems', 'validation_status'],
  filters: {
    provider_type: z.enum(PROVIDER_TYPES).optional().describe('Only DRM providers of this type.'),
    enabled: z.boolean().optional().describe('Only those enabled, or not.'),
  },
  complete: (row, present) => {
    const before = present && { ...present, encrypt_keys: present.encrypt_keys ?? false };
    return withValidation(completeProvider(row, present), before, PROVIDER_SETTINGS);
  },
  check: (row, view, present) => {
    const issues = providerIssues(row);
    if (issues.length > 0) throw invalidInput(issues);
    if (present !== undefined) assertRules(withdrawnIssues(row, view));
  },
  users: (view, id) => encryptedBy(view, id).map(asUser),
  present: presentProvider,
});

function encryptedBy(view: View, id: number): Readonly<Publishing>[] {
  return view.find('publishings', {}).rows.filter(({ drm }) => drm?.provider_id === id);
}

function asUser({ id, name }: Readonly<Publishing>): ResourceUser {
  return { resource: 'Publishing', id, name };
}

/** A system that a Destination advertises cannot be withdrawn while it does. */
function withdrawnIssues({ id, supported_systems: supported }: DrmProvider, view: View): FieldIssue[] {
  return encryptedBy(view, id).flatMap((publishing) => {
    const lost = (publishing.drm?.systems ?? []).filter((system) => !isSupported(supported, system));
    if (lost.length === 0) return [];
    const message = `${called('Publishing', publishing)} advertises ${lost.join(', ')}; change its drm.systems first`;
    return [{ field: 'supported_systems', code: 'in_use', message, users: [asUser(publishing)] }];
  });
}

/** A Destination writes Widevine, a provider WIDEVINE. */
export function isSupported(supported: readonly string[], system: string): boolean {
  return supported.includes(system.toUpperCase());
}
