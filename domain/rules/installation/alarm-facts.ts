/** Gathers what the store and the Devices tell about the health of this installation. */
import type { Validation } from '../../base/validation.ts';
import { called } from '../../base/sentence.ts';
import type { CollectionRows } from '../../ports/collections.ts';
import type { Control } from '../../ports/control.ts';
import type { Store } from '../../ports/store.ts';
import { PLATFORM_CAPABILITIES } from '../../shapes/devices/cloud-account.ts';
import type { AlarmFacts, ServiceFacts } from '../../shapes/installation/alarm-facts.ts';
import { holdInForce } from '../devices/fleet-hold.ts';
import { isAble, neededFeatures } from '../devices/needed-features.ts';

export interface AlarmSources {
  store: Pick<Store, 'find'>;
  control: Pick<Control, 'deviceState' | 'clockAhead'>;
}

export async function alarmFacts({ store, control }: AlarmSources, now: string): Promise<AlarmFacts> {
  const all = async <C extends keyof CollectionRows>(name: C): Promise<readonly Readonly<CollectionRows[C]>[]> =>
    (await store.find(name, {})).rows;
  const [devices, links, publishings, accounts] = await Promise.all([
    all('devices'),
    all('deviceLinks'),
    all('publishings'),
    all('cloudAccounts'),
  ]);
  const enabled = devices.filter((device) => device.enabled);
  const abilities = [
    ...enabled.flatMap(({ capabilities }) => capabilities ?? []),
    ...(accounts.some((account) => account.enabled) ? [PLATFORM_CAPABILITIES] : []),
  ];
  const active = publishings.filter((row) => row.primary_enabled || row.backup_enabled);
  const channels = (await all('channels')).filter((channel) => channel.enabled);
  const needed = neededFeatures({ channels, encodings: await all('encodings'), publishings: active });
  const [era] = (await store.find('eras', { where: { waiting: true } })).rows.slice(-1);
  return {
    now,
    devices: enabled.map((device) => ({
      device,
      state: control.deviceState(device.id),
      away_since: links.find(({ id }) => id === device.id)?.away_since,
      clock_ahead: control.clockAhead(device.id),
    })),
    abilities,
    // Before a Device has told what it can do nothing is known to be missing.
    unable: abilities.length === 0 ? [] : needed.filter((name) => !abilities.some((each) => isAble(each, name))),
    licences: await all('licences'),
    keyServers: (await all('drmProviders')).map((row) => ({
      ...serviceOf('DRM provider', 'validateDrmProvider', row),
      isUsed: row.enabled && active.some(({ drm }) => drm?.active === true && drm.provider_id === row.id),
    })),
    connections: [
      ...accounts.map((row) => ({
        ...serviceOf('Cloud account', 'validateCloudAccount', { ...row, name: row.client }),
        isUsed: row.enabled,
      })),
      ...(await all('remoteFolders')).map((row) => serviceOf('Remote Folder', 'validateRemoteFolder', row)),
      ...(await all('targetFolders')).map((row) => serviceOf('Target Folder', 'validateTargetFolder', row)),
    ],
    mailRules: (await all('mailRules')).filter((rule) => rule.enabled),
    unsaved: (await all('recordings')).filter(({ backup }) => backup?.state === 'waiting' && backup.error !== null),
    archives: await all('archives'),
    restored: era?.restored ?? undefined,
    held: (await holdInForce(store)) ?? undefined,
  };
}

function serviceOf(
  kind: string,
  operation: string,
  row: Readonly<Validation & { id: number; name: string }>,
): ServiceFacts {
  const { validation_status, validation_date, validation_error } = row;
  return { called: called(kind, row), operation, isUsed: false, validation_status, validation_date, validation_error };
}
