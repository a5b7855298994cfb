/** How the output is encrypted: the systems, and the mode that they lead to. */
import { can } from '../../api/can.ts';
import { useOne } from '../../api/reads.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { Facts } from '../../ui/show/facts.tsx';
import type { Destination } from './paths.tsx';
import { words } from './words.ts';

type Drm = NonNullable<Destination['drm']>;

/** Fairplay takes cbcs alone; the others are served by cenc where nobody has chosen. */
function modeOf({ systems, encryption_mode: mode }: Pick<Drm, 'systems' | 'encryption_mode'>): 'cenc' | 'cbcs' {
  return mode ?? (systems.includes('Fairplay') ? 'cbcs' : 'cenc');
}

export function DrmCard({ drm }: { drm: Destination['drm'] }) {
  const w = words.value;
  const providerId = drm?.provider_id;
  // Operators may not read the providers: they see the stored number.
  const provider = useOne(
    'getDrmProviderById',
    providerId === undefined || !can('getDrmProviderById') ? undefined : { providerId },
  );
  return (
    <section>
      <h3>{w.drm}</h3>
      {drm === null && <p class="soft">{w.drmNone}</p>}
      {drm?.active === false && <p class="warn">{w.drmOff}</p>}
      {drm !== null && (
        <Facts
          of={[
            [fieldLabel('drm.systems'), w.drmMode(drm.systems.join(', '), w.modes[modeOf(drm)])],
            [w.provider, provider.data?.name ?? w.providerNumber(drm.provider_id)],
            [fieldLabel('drm.contentid'), drm.contentid],
            [fieldLabel('drm.rotation_minutes'), drm.rotation_minutes],
          ]}
        />
      )}
    </section>
  );
}
