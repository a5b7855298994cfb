/** The Control port: what tools and workflows steer broadcasts through, put together from the parts of this folder. */
import { randomUUID } from 'node:crypto';
import type { ChangeSignal } from '../domain/base/change-signal.ts';
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { RecordingMedia } from '../domain/ports/recording-media.ts';
import type { AssetFiles, Control, MediaSource } from '../domain/ports/control.ts';
import { AppError, notFound } from '../domain/base/errors.ts';
import type { LivePicture, PictureWidth } from '../domain/shapes/broadcasts/live-picture.ts';
import { mountStatusOf, statesOf } from '../domain/shapes/devices/device-storage.ts';
import type { MoveOutcome } from '../domain/shapes/broadcasts/run-move.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { DeviceView } from '../domain/shapes/devices/device.ts';
import type { LivestreamStatus } from '../domain/shapes/broadcasts/livestream.ts';
import { refusedMachine } from '../domain/rules/devices/device-owner.ts';
import { notUnderstood } from '../domain/rules/devices/device-presence.ts';
import { licensedQuantities } from '../domain/rules/installation/licence-limits.ts';
import type { Store, View } from '../domain/ports/store.ts';
import type { CostLearner } from './cost-learning.ts';
import type { DeviceRegistry } from './device-registry.ts';
import type { Presence } from './devices/presence.ts';
import type { Ingests } from './ingest/ingests.ts';
import type { LiveChanges } from './live-changes/live-changes.ts';
import { moveAll, type Drains } from './moves/drains.ts';
import { orderStart, orderStop } from './orders.ts';
import type { Playback } from './playback.ts';
import type { Probes } from './probes.ts';
import { keptFigures } from './kept-figures.ts';
import { recordingFiles } from './recordings/recording-files.ts';
import { measured } from './recordings/recording-rows.ts';
import type { RecordingSync } from './recordings/recording-sync.ts';
import type { RowCache } from './row-cache.ts';
import { admit } from './start/admission.ts';
import { slotsBesideReserve } from './start/reserve.ts';
import { startTargets } from './start/start-targets.ts';
import { statusView } from './status-view.ts';

export interface ControlPortDeps {
  store: Store;
  clock: Clock;
  memberId: string;
  assetFiles: AssetFiles;
  timezone: string;
  rows: RowCache;
  registry: DeviceRegistry;
  presence: Presence;
  recordings: RecordingSync;
  media: RecordingMedia | undefined;
  liveChanges: LiveChanges;
  playback: Playback;
  costs: CostLearner;
  probes: Probes;
  /** Notified after each stored change of a run. */
  runsChanged: ChangeSignal;
  ingests: Ingests;
  pairDevice: Control['pairDevice'];
  drains: Pick<Drains, 'orderMove'>;
}

export function controlPort(deps: ControlPortDeps): Control {
  const { ingests, drains } = deps;
  const {
    store,
    clock,
    memberId,
    assetFiles,
    timezone,
    rows,
    registry,
    presence,
    recordings,
    liveChanges,
    playback,
    costs,
    probes,
    pairDevice,
  } = deps;
  const onlineIn =
    (view: View) =>
    (place: number): boolean =>
      presence.mayStart(view, place);
  const now = (): string => toIso(clock.now());
  return {
    memberId,
    assetFiles,
    timezone,
    pairDevice,
    ingest: (channel) => ingests.ingestOf(channel),
    ingestUrls: (channel) => ingests.wholeUrls(channel),
    recordings: recordingFiles({ store, clock, registry, devices: rows.devices, media: deps.media }),
    measured: (recording) => measured(recording, registry.report(recording.runId)),
    waitFor: (livestreamId, until, timeoutMs, signal) => waitForStatus(deps, livestreamId, until, timeoutMs, signal),
    changeLive: liveChanges.changeLive,
    checkChange: liveChanges.checkChange,
    preview: liveChanges.preview,
    probeChannel: probes.probeChannel,
    probeSource: probes.probeSource,
    lastProbe: probes.lastProbe,
    channelPicture: probes.channelPicture,
    ...keptFigures(registry),
    picture: (livestreamId, width) => pictureOf(deps, livestreamId, width),
    checkStart(view, livestreamId, request) {
      const { reasons, startConfig } = admit(view, onlineIn(view), livestreamId, request, now());
      return { startAllowed: reasons.length === 0, reasons, startConfig };
    },
    orderStart: (tx, at, livestreamId, request, by) =>
      orderStart(tx, at, { newRunId: randomUUID(), isOnline: onlineIn(tx), livestreamId, request, by }),
    orderStop,
    orderMove: drains.orderMove,
    moveAll: (tx, at, from) => moveAll(tx, at, from, drains.orderMove),
    waitForMove: (livestreamId, moveId, timeoutMs, signal) =>
      waitForMove(deps, livestreamId, moveId, { timeoutMs, signal }),
    status(livestream, run) {
      const report = run && registry.report(run.runId);
      const recordingId = run ? recordings.openOf(run) : null;
      return statusView(livestream, run, { report, nowIso: now(), recordingId, ingests, presence });
    },
    watchAddresses: (livestreamId) => playback.addresses(rows.run(livestreamId)),
    isMediaOrigin: (origin) => playback.isOrigin(origin),
    deliveryPlace: (livestreamId, publishingId) => playback.place(rows.run(livestreamId), publishingId),
    mediaSource: (livestreamId, publishingId) => mediaSourceOf(deps, livestreamId, publishingId),
    playbackLink: (livestream, publishing, expiresAtMs) =>
      playback.link(livestream, publishing, rows.run(livestream.id), expiresAtMs),
    slotsBesideReserve: (view, group) => slotsBesideReserve(view, onlineIn(view), group),
    startTargets: (view, livestreamId) => startTargets(view, onlineIn(view), livestreamId, now()),
    lastReport(livestreamId) {
      const run = rows.run(livestreamId);
      return run === undefined || run.status === 0 ? undefined : registry.report(run.runId);
    },
    deviceCapacity: (deviceId) => rows.capacity(deviceId, costs.factors(deviceId)),
    deviceState: (deviceId) => deviceStateOf(deps, deviceId),
    clockAhead: (deviceId) => registry.clockAhead(deviceId),
  };
}

/** A server that has no way to a Device of another one goes by what that one has stored. */
function storageOf(
  { rows, registry }: ControlPortDeps,
  deviceId: number,
  isOnline: boolean,
): Pick<DeviceView, 'mountstatus' | 'storage'> {
  const disks = registry.storage(deviceId);
  if (!isOnline) return { mountstatus: 'unknown', storage: disks.map((disk) => ({ ...disk, status: 'unknown' })) };
  const states = disks.length > 0 ? statesOf(disks) : rows.devices.get(deviceId)?.storage_states;
  return { mountstatus: mountStatusOf(states ?? {}), storage: [...disks] };
}

function deviceStateOf(deps: ControlPortDeps, deviceId: number): ReturnType<Control['deviceState']> {
  const { rows, presence, costs, clock } = deps;
  const { slots, load } = rows.capacity(deviceId, costs.factors(deviceId));
  const isOnline = presence.isOnline(deviceId);
  return {
    online: isOnline,
    slots,
    load,
    ...storageOf(deps, deviceId, isOnline),
    licensed: licensedQuantities(rows.licences, toIso(clock.now())),
    refused_machine: refusedMachine(rows.owner(deviceId), clock.now()),
    not_understood: notUnderstood(rows.owner(deviceId), clock.now()),
  };
}

/** It is asked for many times a second, so that everything is read from memory. */
async function pictureOf(
  { rows, registry }: ControlPortDeps,
  livestreamId: number,
  width: PictureWidth,
): Promise<LivePicture> {
  const run = rows.run(livestreamId);
  const device = run?.status === 2 && run.desired === 'on' ? registry.deviceFor(run) : undefined;
  if (run === undefined || device === undefined)
    throw new AppError('wrong_state', `Live stream ${livestreamId} is not on air.`);
  if (!device.online) throw new AppError('unavailable', 'The Device does not answer.');
  return device.link.picture(run.runId, width);
}

async function mediaSourceOf(
  { store, rows, playback }: ControlPortDeps,
  livestreamId: number,
  publishingId: number,
): Promise<MediaSource> {
  const livestream = (await store.get('livestreams', livestreamId))?.row;
  if (livestream === undefined) throw notFound('Live stream', livestreamId);
  return playback.source(livestream, rows.run(livestreamId), publishingId);
}

/** Resolves with the status as soon as it is one of `until`, else with the present one at the bound or at the signal's abort. */
async function waitForStatus(
  { store, rows, runsChanged, clock }: ControlPortDeps,
  livestreamId: number,
  until: readonly LivestreamStatus[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<LivestreamStatus> {
  let status = (await store.get('runs', livestreamId))?.row.status ?? 0;
  if (until.includes(status)) return status;
  if (timeoutMs <= 0 || signal.aborted) return status;
  const isReached = (): boolean => {
    status = rows.status(livestreamId);
    return until.includes(status);
  };
  await runsChanged.until(isReached, { clock, timeoutMs, signal });
  return status;
}

async function waitForMove(
  { store, rows, runsChanged, clock }: ControlPortDeps,
  livestreamId: number,
  moveId: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<MoveOutcome | undefined> {
  const isOver = (run: Readonly<Run> | undefined): boolean => run?.move?.id !== moveId;
  // The cache may not have the order yet.
  const isDone = (run: Readonly<Run> | undefined): boolean =>
    isOver(run) && (run?.moved?.id === moveId || run?.status !== 2 || run.desired === 'off');
  if (!isOver((await store.get('runs', livestreamId))?.row))
    await runsChanged.until(() => isDone(rows.run(livestreamId)), { clock, timeoutMs, signal });
  const moved = (await store.get('runs', livestreamId))?.row.moved;
  return moved?.id === moveId ? moved : undefined;
}
