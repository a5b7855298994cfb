/** Takes what a Device tells: all of it where this server orders what the Device does, else what its status is made of. */
import type { DeviceMessage } from '../../domain/device-link.ts';
import type { RunReport } from '../../domain/run.ts';
import type { DeviceRegistry, KnownDevice } from '../device-registry.ts';
import type { Ingests } from '../ingest/ingests.ts';
import type { RecordingSync } from '../recordings/recording-sync.ts';
import type { Reconciler } from '../reconciler.ts';

export interface WatchParts {
  registry: DeviceRegistry;
  reconciler: Reconciler;
  recordings: RecordingSync;
  ingests: Ingests;
  /** Called with each report of an own Device, after the reconciler has received it. */
  onReport(deviceId: number, report: RunReport): void;
  /** Called when an own Device is there, from which on it is compared with its orders. */
  onOwnDevice(device: KnownDevice): void;
}

/** The answer ends the watch. */
export function watchDevice(parts: WatchParts, device: KnownDevice): () => void {
  const { ingests, registry } = parts;
  return device.link.watch(
    (message) => {
      registry.noteHeard(device.id);
      if (device.isOwn) takeOwn(parts, device, message);
      else takeForStatus(parts, device, message);
    },
    (online) => {
      const back = online && !device.online;
      device.online = online;
      if (back) device.isCompared = false;
      if (!online) return ingests.lost(device.id);
      if (!device.isOwn) return ingests.sync(device);
      syncOwn(parts, device, back);
    },
  );
}

/** Changes arrive from here on; those missed before are found by comparing. */
export function syncOwn(
  { reconciler, recordings, ingests, onOwnDevice }: WatchParts,
  device: KnownDevice,
  isBack = true,
): void {
  if (isBack) void reconciler.sync(device);
  recordings.sync(device);
  ingests.sync(device);
  onOwnDevice(device);
}

function takeOwn(parts: WatchParts, device: KnownDevice, message: DeviceMessage): void {
  const { reconciler, recordings, ingests, onReport } = parts;
  if (message.type === 'recording') return recordings.receive(device.id, message.recording);
  if (message.type === 'ingests') return ingests.receive(device, message.ingests);
  if (message.type === 'ingest_event') return ingests.receiveEvent(device.id, message.event);
  reconciler.receive(device, message);
  if (message.type === 'report') onReport(device.id, message.report);
}

/** Its owner stores what has to be stored. */
function takeForStatus({ registry, ingests }: WatchParts, device: KnownDevice, message: DeviceMessage): void {
  if (message.type === 'ingests') ingests.receive(device, message.ingests);
  else if (message.type === 'report') registry.keepReport(message.report);
  else if (message.type === 'gone') registry.dropReport(message.runId);
}
