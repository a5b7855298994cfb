/** Takes what a Device tells: all of it where this server orders what the Device does, else what its status is made of. */
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import type { Log } from '../../domain/base/log.ts';
import type { RunEvent, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { DeviceRegistry, KnownDevice } from '../device-registry.ts';
import type { Ingests } from '../ingest/ingests.ts';
import { isRunAt } from '../locations.ts';
import type { RecordingSync } from '../recordings/recording-sync.ts';
import type { Reconciler } from '../reconciler.ts';
import type { RowCache } from '../row-cache.ts';
import type { DeviceShares } from '../device-shares.ts';
import type { HeardForOthers } from './heard-for-others.ts';
import type { Presence } from './presence.ts';
import type { StorageRows } from './storage-rows.ts';

export interface WatchDeps {
  registry: DeviceRegistry;
  rows: Pick<RowCache, 'run'>;
  shares: DeviceShares;
  log: Log;
  reconciler: Reconciler;
  recordings: RecordingSync;
  ingests: Ingests;
  disks: Pick<StorageRows, 'receive'>;
  /** Devices of this server; a Cloud account is followed by each by itself. */
  heard: Pick<HeardForOthers, 'hear' | 'setThere'>;
  /** Called with each report of an own Device, after the reconciler has received it. */
  onReport(deviceId: number, report: RunReport): void;
  presence: Pick<Presence, 'notUnderstood'>;
  /** Answers an own Device that asks for leases. */
  answers: { answer(device: KnownDevice, askedMs: number): void };
  /** Called when an own Device is there, from which on it is compared with its orders. */
  onOwnDevice(device: KnownDevice): void;
}

/** The answer ends the watch. `onReturn` is called when an own Device is there again, and waited for before it is compared with its orders. */
export function watchDevice(deps: WatchDeps, device: KnownDevice, onReturn?: () => Promise<void>): () => void {
  const { ingests, registry, presence, heard, log } = deps;
  const isForOthers = device.isOwn && device.id > 0;
  let wasThere = false;
  const end = device.link.watch(
    (message) => {
      registry.noteHeard(device.id);
      if (isForOthers) heard.hear(device.id, message);
      if (device.isOwn) takeOwn(deps, device, message);
      else takeForStatus(deps, device, message);
    },
    (online, reason) => {
      const back = online && !device.online;
      device.online = online;
      if (isForOthers) heard.setThere(device.id, online);
      if (reason !== undefined) {
        log.warn({ deviceId: device.id, reason }, `The link to Device ${device.id} was closed; its broadcasts go on.`);
        if (device.isOwn) presence.notUnderstood(device.id, reason);
      }
      if (back) device.isCompared = false;
      if (!online) return ingests.lost(device.id);
      if (!device.isOwn) return ingests.sync(device);
      const returned = back && wasThere ? onReturn?.() : undefined;
      wasThere = true;
      if (returned === undefined) return syncOwn(deps, device, back);
      // One that is away again comes back later.
      void returned.catch(() => undefined).then(() => device.online && syncOwn(deps, device, back));
    },
  );
  return () => {
    end();
    if (isForOthers) heard.setThere(device.id, false);
  };
}

/** Changes arrive from here on; those missed before are found by comparing. */
export function syncOwn(
  { reconciler, recordings, ingests, onOwnDevice }: WatchDeps,
  device: KnownDevice,
  isBack = true,
): void {
  if (isBack) void reconciler.sync(device);
  recordings.sync(device);
  ingests.sync(device);
  onOwnDevice(device);
}

function takeOwn(deps: WatchDeps, device: KnownDevice, message: DeviceMessage): void {
  const { reconciler, recordings, ingests, shares, onReport } = deps;
  switch (message.type) {
    case 'report':
      reconciler.receiveReport(device, message.report);
      return onReport(device.id, message.report);
    case 'event':
      if (!isStored(deps, message.event) && shares.take(device.id)) reconciler.receiveEvent(device, message.event);
      return;
    case 'recording':
      if (shares.take(device.id)) recordings.receive(device.id, message.recording);
      return;
    case 'ingests':
      return ingests.receive(device, message.ingests);
    case 'ingest_event':
      return ingests.receiveEvent(device.id, message.event);
    case 'storage':
      return deps.disks.receive(device, message.storage, message.at);
    case 'lease':
      return deps.answers.answer(device, message.asked_ms);
    case 'gone':
  }
}

/** A Device tells all events of its runs anew to each watch. */
function isStored({ rows }: WatchDeps, { livestreamId, runId, seq }: RunEvent): boolean {
  const run = rows.run(livestreamId);
  return run?.runId === runId && seq <= run.lastEventSeq;
}

/** Its owner stores what has to be stored. */
function takeForStatus(
  { registry, rows, ingests, disks }: WatchDeps,
  device: KnownDevice,
  message: DeviceMessage,
): void {
  if (message.type === 'ingests') ingests.receive(device, message.ingests);
  else if (message.type === 'storage') disks.receive(device, message.storage, message.at);
  else if (message.type === 'gone') registry.dropReport(message.runId, device.id);
  else if (message.type === 'report') {
    const { livestreamId, runId } = message.report;
    if (isRunAt(rows.run(livestreamId), runId, device.id)) registry.keepReport(message.report, device.id);
  }
}
