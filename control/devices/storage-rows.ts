/** Takes what Devices tell of their disks: bytes are kept in memory, and a state that has changed is stored and told. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { statesOf, type DeviceStorage } from '../../domain/shapes/devices/device-storage.ts';
import type { Log } from '../../domain/base/log.ts';
import { haveChanged, noteStorage } from '../../domain/rules/devices/device-storage.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { DeviceRegistry, KnownDevice } from '../device-registry.ts';
import type { DeviceShares } from '../device-shares.ts';
import type { RowCache } from '../row-cache.ts';

export interface StorageRowsDeps {
  store: Pick<Store, 'tx'>;
  clock: Pick<Clock, 'now'>;
  log: Pick<Log, 'warn'>;
  registry: Pick<DeviceRegistry, 'keepStorage' | 'noteTime'>;
  rows: Pick<RowCache, 'devices'>;
  shares: Pick<DeviceShares, 'take'>;
}

export class StorageRows {
  private readonly deps: StorageRowsDeps;

  constructor(deps: StorageRowsDeps) {
    this.deps = deps;
  }

  /** An empty list is that of an agent which does not tell. `at` is the time of the Device. */
  receive({ id, isOwn }: Pick<KnownDevice, 'id' | 'isOwn'>, storage: readonly DeviceStorage[], at?: string): void {
    const { store, clock, log, registry, rows, shares } = this.deps;
    registry.keepStorage(id, storage);
    if (at !== undefined) registry.noteTime(id, Date.parse(at));
    // The platform of a Cloud account has no row.
    if (!isOwn || id <= 0) return;
    const states = statesOf(storage);
    if (!haveChanged(rows.devices.get(id)?.storage_states, states) || !shares.take(id)) return;
    store
      .tx((tx) => noteStorage(tx, id, states, toIso(clock.now())))
      .catch((error: unknown) => log.warn({ err: error, deviceId: id }, 'The state of a disk could not be stored'));
  }
}
