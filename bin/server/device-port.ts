/** The port that Devices on other machines dial, and the other servers of one store. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ControlRuntime } from '../../control/control.ts';
import { openDialIn } from '../../device/link/client.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Config } from '../settings/config.ts';
import { isShared } from '../store/store-place.ts';

export interface OpenDevicePort {
  /** host:port at which other servers reach this one; null where it takes no connections. */
  address: string | null;
  close(): Promise<void>;
}

/** Servers that share a store take each other in, without a setting at any free port. Rejects with AppError unavailable. */
export async function openDevicePort(
  { host, devicePort, data, store }: Config,
  control: Pick<ControlRuntime, 'openDevicePort' | 'assetFiles'>,
  log: Log,
): Promise<OpenDevicePort> {
  if (devicePort === undefined && !isShared({ store })) return { address: null, close: () => Promise.resolve() };
  const devices = await control.openDevicePort();
  const dir = join(data, 'transfers');
  const { address, close } = await openDialIn({
    host,
    port: devicePort ?? 0,
    devices,
    log,
    dir,
    media: control.assetFiles,
  });
  return { address: reachableAddress(host, address), close };
}

/** Who listens everywhere is reached by the name of its machine. */
function reachableAddress(host: string, bound: string): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  return isEverywhere ? `${hostname()}:${bound.slice(bound.lastIndexOf(':') + 1)}` : bound;
}
