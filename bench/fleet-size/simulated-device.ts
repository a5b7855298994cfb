/**
 * A Device whose encoders alone are simulated: the agent's API, its key, its join and its connection to the servers are the real ones
 * (device/agent/network.ts). Whoever holds it hears when a server has claimed it, and when the connection ends.
 */
import { mkdirSync } from 'node:fs';
import { openNetwork } from '../../device/agent/network.ts';
import { Pairing } from '../../device/agent/pairing.ts';
import { PushSupervisor } from '../../device/agent/push-supervisor.ts';
import { Recordings } from '../../device/agent/recordings/recordings.ts';
import { StoreMarkFile } from '../../device/agent/files/store-mark-file.ts';
import type { StorageWatch } from '../../device/agent/storage/storage-watch.ts';
import type { Fleet } from '../../device/agent/runs/fleet.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { FakeDevice } from '../../test/helpers/fake-device.ts';
import { SimulatedRuns } from './simulated-runs.ts';

export interface SimulatedDeviceOptions {
  /** A folder of its own. */
  dir: string;
  /** host:port of each server, in the order in which they are dialled. */
  addresses: readonly string[];
  token: string;
  random: () => number;
  /** Called with the id once the Device has joined. */
  onJoined: (deviceId: number) => void;
  /** The address of the server that has claimed it; undefined: the connection has ended. */
  onConnection: (address: string | undefined) => void;
  onRefused: (why: string) => void;
}

export interface SimulatedDevice {
  encoders: FakeDevice;
  runs: SimulatedRuns;
  close(): Promise<void>;
}

/** As many as ten ladders take, and a reserve. */
const CORES = 16;
const HOST = '127.0.0.1';
const refuseProbe = (): Promise<never> =>
  Promise.reject(new AppError('unavailable', 'A simulated Device has no sources.'));

export async function openSimulatedDevice(options: SimulatedDeviceOptions): Promise<SimulatedDevice> {
  const { dir, addresses, token, random, onRefused } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const log = connectionLog(options);
  const encoders = new FakeDevice({ cores: CORES });
  const runs = new SimulatedRuns(encoders, dir, random, log);
  const disks = { storage: encoders.storage!, isTried: Promise.resolve(), watch: () => () => undefined };
  const able = { capabilities: encoders.capabilities, encodingTrial: encoders.encodingTrial!, isProbing: false };
  const calls = {
    fleet: runs as unknown as Fleet,
    recordings: new Recordings({ deviceDir: dir, log, isOver: () => true }),
    push: new PushSupervisor(dir, HOST, log),
    disks: disks as unknown as StorageWatch,
    ingest: encoders.ingest!,
    log,
    cores: () => encoders.cores,
    health: () => ({ pid: process.pid, startTicks: 0, mediaUrl: encoders.mediaUrl, mediaPort: 0, program: undefined }),
    storeMark: new StoreMarkFile(dir),
    capabilities: () => Promise.resolve(able),
    probe: refuseProbe,
    pushedPicture: refuseProbe,
  };
  const network = await openNetwork(
    { deviceDir: dir, join: { addresses, token }, log, onRefused: ({ message }) => onRefused(message) },
    calls,
    new Pairing(dir, systemClock),
  );
  return {
    encoders,
    runs,
    async close() {
      runs.close();
      await network.close();
    },
  };
}

/** The agent tells of its join and its connections in its log alone. */
function connectionLog({ onJoined, onConnection }: SimulatedDeviceOptions): Log {
  const take = (facts: object, message: string): void => {
    const { deviceId, address } = facts as { deviceId?: number; address?: string };
    if (message === 'The Device has joined.') onJoined(deviceId!);
    else if (address !== undefined)
      onConnection(message === 'The Device is connected to a server.' ? address : undefined);
  };
  return { info: take, warn: take, error: take };
}
