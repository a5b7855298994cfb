/** The port that Devices on other machines dial, where the settings name one. */
import { join } from 'node:path';
import type { ControlRuntime } from '../control/control.ts';
import { openDialIn } from '../device/link/client.ts';
import type { Log } from '../domain/log.ts';
import type { Config } from './config.ts';

/** Answers what closes it. Rejects with AppError unavailable when the port cannot be had. */
export async function openDevicePort(
  { host, devicePort, data }: Config,
  control: ControlRuntime,
  log: Log,
): Promise<() => Promise<void>> {
  if (devicePort === undefined) return () => Promise.resolve();
  const devices = await control.openDevicePort();
  const { close } = await openDialIn({ host, port: devicePort, devices, log, dir: join(data, 'transfers') });
  return close;
}
