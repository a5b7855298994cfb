/** The rows of one watch: Live streams, runs and Devices as the last commit that it has followed left them. */
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';

export type NamedStream = Pick<Livestream, 'id' | 'name'>;

/**
 * It reads by itself and does not share the rows of RowCache: a stored change and its message must not depend on which of two listeners of
 * the store has read first.
 */
export class LiveRows {
  readonly livestreams = new Map<number, NamedStream>();
  readonly runs = new Map<number, Readonly<Run>>();
  readonly devices = new Map<number, Readonly<Device>>();
  private readonly store: Pick<Store, 'get' | 'find'>;

  constructor(store: Pick<Store, 'get' | 'find'>) {
    this.store = store;
  }

  async load(): Promise<void> {
    for (const { id, name } of (await this.store.find('livestreams', {})).rows) this.livestreams.set(id, { id, name });
    for (const run of (await this.store.find('runs', {})).rows) this.runs.set(run.id, run);
    for (const device of (await this.store.find('devices', {})).rows) this.devices.set(device.id, device);
  }

  async readLivestream(id: number): Promise<void> {
    const row = (await this.store.get('livestreams', id))?.row;
    if (row === undefined) this.livestreams.delete(id);
    else this.livestreams.set(id, { id, name: row.name });
  }

  async readRun(id: number): Promise<void> {
    setOrDelete(this.runs, id, (await this.store.get('runs', id))?.row);
  }

  async readDevice(id: number): Promise<void> {
    setOrDelete(this.devices, id, (await this.store.get('devices', id))?.row);
  }

  /** Runs that start or are on air. */
  active(): Readonly<Run>[] {
    return [...this.runs.values()].filter(({ status }) => status === 1 || status === 2);
  }
}

function setOrDelete<T>(rows: Map<number, T>, id: number, row: T | undefined): void {
  if (row === undefined) rows.delete(id);
  else rows.set(id, row);
}
