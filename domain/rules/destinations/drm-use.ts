/** Rules between the drm block of a Publishing, its DRM provider, and the runs on air. */
import type { FieldIssue } from '../../base/errors.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import type { View } from '../../ports/store.ts';
import { isSupported } from './drm-provider.ts';
import { referenceIssues } from '../rows/references.ts';
import { runUsers } from '../rows/resource-users.ts';
import { called } from '../../base/sentence.ts';

export function drmUseIssues(row: Publishing, view: View, present: Readonly<Publishing> | undefined): FieldIssue[] {
  const { drm } = row;
  if (drm === null) return [];
  return [
    ...referenceIssues(view, 'drmProviders', 'DRM provider', 'drm.provider_id', drm.provider_id),
    ...providerIssues(drm, view, present),
    ...onAirIssues(row, view, present),
  ];
}

function providerIssues(
  drm: NonNullable<Publishing['drm']>,
  view: View,
  present: Readonly<Publishing> | undefined,
): FieldIssue[] {
  const provider = view.get('drmProviders', drm.provider_id);
  if (provider === undefined) return [];
  const { id, enabled, supported_systems: supported } = provider;
  const issues = drm.systems.flatMap((system, index): FieldIssue[] => {
    if (isSupported(supported, system)) return [];
    const message = `${called('DRM provider', provider)} does not deliver ${system}; its supported_systems are ${supported.join(', ')}`;
    return [{ field: `drm.systems.${index}`, code: 'unsupported', message, allowed: supported }];
  });
  // A provider that was disabled since does not block an unrelated change.
  const isNew = drm.active && JSON.stringify(drm) !== JSON.stringify(present?.drm);
  if (enabled || !isNew) return issues;
  const message = `${called('DRM provider', provider)} is disabled; enable it with updateDrmProvider, or choose another`;
  return [...issues, { field: 'drm.provider_id', code: 'disabled', message, id }];
}

/** A run on air keeps its start settings: it would go on in the clear behind a setting that says otherwise. */
function onAirIssues(row: Publishing, view: View, present: Readonly<Publishing> | undefined): FieldIssue[] {
  if (present === undefined || row.drm?.active !== true || present.drm?.active === true) return [];
  return runUsers(view, 'boundPublishings', row.id).map((user) => {
    const message = `${called(user.resource, user)} delivers to it in the clear now; stop it first with stopLivestream`;
    return { field: 'drm.active', code: 'on_air', message, livestreamId: user.id };
  });
}
