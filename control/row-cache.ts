/**
 * Rows that every report and every request needs, kept as the store last had them, so that reading them costs no turn of the event loop.
 */
import { capacityOf, type DeviceCapacity, type Factors } from '../domain/shapes/encodings/capacity.ts';
import type { Device } from '../domain/shapes/devices/device.ts';
import type { DeviceOwner } from '../domain/shapes/devices/device-owner.ts';
import type { Licence } from '../domain/shapes/installation/licence.ts';
import type { LivestreamStatus } from '../domain/shapes/broadcasts/livestream.ts';
import { waitingRun } from '../domain/rules/broadcasts/run-move.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { Store } from '../domain/ports/store.ts';

export class RowCache {
  private readonly store: Pick<Store, 'get' | 'find'>;
  private readonly runRows = new Map<number, Readonly<Run>>();
  /** The Live streams that each Device has, or gets by a move: whoever looks at one Device does not read the runs of all. */
  private readonly idsAt = new Map<number, Set<number>>();
  private readonly deviceRows = new Map<number, Readonly<Device>>();
  private readonly ownerRows = new Map<number, Readonly<DeviceOwner>>();
  private licenceRows: readonly Readonly<Licence>[] = [];
  /** Made when it is asked for; few broadcasts have a lease, and other changes are many. */
  private leased: ReadonlyMap<number, readonly Readonly<Run>[]> | undefined;

  constructor(store: Pick<Store, 'get' | 'find'>) {
    this.store = store;
  }

  async load(): Promise<void> {
    for (const run of (await this.store.find('runs', {})).rows) this.keepRun(run.id, run);
    for (const device of (await this.store.find('devices', {})).rows) this.deviceRows.set(device.id, device);
    for (const owner of (await this.store.find('deviceLinks', {})).rows) this.ownerRows.set(owner.id, owner);
    await this.readLicences();
  }

  get devices(): ReadonlyMap<number, Readonly<Device>> {
    return this.deviceRows;
  }

  /** The claims on the Device, and whether it is heard. */
  owner(deviceId: number): Readonly<DeviceOwner> | undefined {
    return this.ownerRows.get(deviceId);
  }

  get licences(): readonly Readonly<Licence>[] {
    return this.licenceRows;
  }

  run(livestreamId: number): Readonly<Run> | undefined {
    return this.runRows.get(livestreamId);
  }

  status(livestreamId: number): LivestreamStatus {
    return this.runRows.get(livestreamId)?.status ?? 0;
  }

  /** True while a run is at the Cloud account, or has still to be ended there. */
  isUsed(cloudAccountId: number): boolean {
    return [...this.runRows.values()].some((run) => run.cloudAccountId === cloudAccountId && run.status !== 0);
  }

  capacity(deviceId: number, factors: Factors): DeviceCapacity {
    return capacityOf(this.deviceRows.get(deviceId) ?? { cores: 0 }, this.runsAt(deviceId), factors);
  }

  /** Those that start or run there, and those that wait there during a move. */
  runsAt(deviceId: number): Readonly<Run>[] {
    return [...(this.idsAt.get(deviceId) ?? [])].flatMap((id) => {
      const run = this.runRows.get(id)!;
      if (run.otherDeviceId === deviceId) return waitingRun(run) ?? [];
      return run.deviceId === deviceId && (run.status === 1 || run.status === 2) ? run : [];
    });
  }

  /** Runs with a lease that start or run there, and those that wait there during a move. */
  leasedAt(deviceId: number): readonly Readonly<Run>[] {
    return this.leasedRuns.get(deviceId) ?? [];
  }

  /** The Devices that have such runs. */
  get leasedPlaces(): Iterable<number> {
    return this.leasedRuns.keys();
  }

  private get leasedRuns(): ReadonlyMap<number, readonly Readonly<Run>[]> {
    const byPlace = new Map<number, Readonly<Run>[]>();
    const add = (run: Readonly<Run>): void => {
      if (run.deviceId !== null) byPlace.set(run.deviceId, [...(byPlace.get(run.deviceId) ?? []), run]);
    };
    if (this.leased === undefined)
      for (const run of this.runRows.values()) {
        if (run.lease !== true || (run.status !== 1 && run.status !== 2)) continue;
        [run, waitingRun(run)].forEach((each) => each && add(each));
      }
    return (this.leased ??= byPlace);
  }

  /** Reads the row anew; resolves with it as it was in this cache and as it is in the store. */
  async readRun(livestreamId: number): Promise<{ before: Readonly<Run> | undefined; run: Readonly<Run> | undefined }> {
    const before = this.runRows.get(livestreamId);
    const run = (await this.store.get('runs', livestreamId))?.row;
    this.keepRun(livestreamId, run);
    if (before?.lease === true || run?.lease === true) this.leased = undefined;
    return { before, run };
  }

  private keepRun(livestreamId: number, run: Readonly<Run> | undefined): void {
    for (const place of placesOf(this.runRows.get(livestreamId))) this.idsAt.get(place)?.delete(livestreamId);
    if (run === undefined) this.runRows.delete(livestreamId);
    else this.runRows.set(livestreamId, run);
    for (const place of placesOf(run)) this.idsAt.set(place, (this.idsAt.get(place) ?? new Set()).add(livestreamId));
  }

  async readDevice(deviceId: number): Promise<Readonly<Device> | undefined> {
    const row = (await this.store.get('devices', deviceId))?.row;
    if (row === undefined) this.deviceRows.delete(deviceId);
    else this.deviceRows.set(deviceId, row);
    return row;
  }

  async readOwner(deviceId: number): Promise<Readonly<DeviceOwner> | undefined> {
    const row = (await this.store.get('deviceLinks', deviceId))?.row;
    if (row === undefined) this.ownerRows.delete(deviceId);
    else this.ownerRows.set(deviceId, row);
    return row;
  }

  async readLicences(): Promise<void> {
    this.licenceRows = (await this.store.find('licences', {})).rows;
  }
}

function placesOf(run: Readonly<Run> | undefined): number[] {
  return [run?.deviceId, run?.otherDeviceId].filter((place) => place != null);
}
