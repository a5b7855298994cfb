/** The order to move a run on air to another Device, as rows inside one commit. What carries it out is in moves.ts. */
import { randomUUID } from 'node:crypto';
import { AppError, notFound, type ErrorCode } from '../../domain/base/errors.ts';
import { isRecordingNow } from '../../domain/rules/devices/device-storage.ts';
import { hasFeature } from '../../domain/rules/devices/needed-features.ts';
import { fleetHeld } from '../../domain/rules/devices/fleet-hold.ts';
import { isLost, giveUp } from '../../domain/rules/devices/device-presence.ts';
import { takersOf } from '../../domain/rules/sources/listening.ts';
import { beginMove } from '../../domain/rules/broadcasts/run-move.ts';
import type { MoveControl, MoveOrder, MoveRequest } from '../../domain/ports/move-control.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { RecordingMedia } from '../../domain/ports/recording-media.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import type { Tx, View } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { Presence } from '../devices/presence.ts';
import { assertOnAir } from '../live-changes/on-air.ts';
import { orderStart } from '../orders.ts';
import { resolveBindings } from '../start/bindings.ts';
import { freeSlot } from '../start/held.ts';
import { inForceOf } from '../start/in-force.ts';
import { NEAREST, reasonsOf, type Against, type DeviceAssessment } from '../start/assessment.ts';
import { assess, firstAble } from '../start/placement.ts';
import { whyUnmovable, type MovableDeps, type Moved } from './movable.ts';

interface MoveDeps extends Omit<MovableDeps, 'mayCut'> {
  /** Whether a start may be given to the Device. */
  isOnline: (deviceId: number) => boolean;
}

export interface MoveOrdersDeps {
  /** Says whether a start may be given to a Device. */
  presence: Pick<Presence, 'mayStart'>;
  /** Has what encoders last reported. */
  registry: Pick<DeviceRegistry, 'report'>;
  /** The bucket of Recordings; left out: there is none. */
  media?: Pick<RecordingMedia, 'takes'> | undefined;
}

export function moveOrders({ presence, registry, media }: MoveOrdersDeps): MoveControl['orderMove'] {
  const deps = { reportOf: (runId: string) => registry.report(runId), sendsRecordings: media?.takes === true };
  return (tx, now, request) =>
    orderMove(tx, now, request, { ...deps, isOnline: (deviceId) => presence.mayStart(tx, deviceId) });
}

const CODES: Record<Against['cause'], ErrorCode> = {
  disabled: 'no_capacity',
  offline: 'no_capacity',
  no_input: 'rule_violated',
  unsupported: 'unsupported_by_device',
  no_capacity: 'no_capacity',
  storage: 'no_capacity',
};

/** Answers what was ordered; a second call under the same `moveId` changes nothing. Throws AppError with the reason why it stays. */
function orderMove(tx: Tx, now: string, request: MoveRequest, deps: MoveDeps): MoveOrder {
  const { livestreamId, moveId = randomUUID() } = request;
  const present = tx.get('runs', livestreamId);
  const known = present?.move?.id === moveId || present?.moved?.id === moveId;
  if (known) return { moveId, isForced: false };
  const { livestream, run } = assertOnAir(tx, livestreamId);
  if (request.force !== true) assertNotHeld(tx, livestream);
  const from = fromOf(tx, livestream, run);
  if (!deps.isOnline(from.id)) return orderForced(tx, now, { ...request, moveId }, { from, run, livestream }, deps);
  const reason = whyUnmovable(tx, { livestream, run, from }, { ...deps, mayCut: request.force === true });
  if (reason !== undefined) throw reason;
  const { device, needed } = placeFor(tx, { livestream, run, from }, request.deviceId, deps);
  const { id: deviceId } = device;
  const slot = freeSlot(tx, deviceId);
  const work = run.work === undefined ? {} : { work: [...run.work] };
  const place = { runId: randomUUID(), slot, cost: needed, ...work, lastEventSeq: 0 };
  beginMove(tx, run, deviceId, { id: moveId, stage: 'arming', since: now, by: request.by, ...place });
  return { moveId, isForced: false };
}

/** A person who moves it all the same says so by force, also where its Device answers and nothing is forced. */
function assertNotHeld(view: View, livestream: Readonly<Livestream>): void {
  const held = fleetHeld(view);
  if (held === undefined) return;
  const detail = `${held.by} holds the fleet since ${held.since}, so ${called('Live stream', livestream)} stays where it is.`;
  throw new AppError('conflict', detail, { remedy: 'End the hold with releaseFleet, or move it with force: true.' });
}

function fromOf(view: View, livestream: Readonly<Livestream>, run: Readonly<Run>): Readonly<Device> {
  const device = run.deviceId === null ? undefined : view.get('devices', run.deviceId);
  if (device !== undefined) return device;
  const detail = `${called('Live stream', livestream)} is on the cloud platform, which places it by itself; nothing can be moved there.`;
  throw new AppError('rule_violated', detail);
}

/** The Device is silent: nobody can ask it to deliver no more. */
function orderForced(
  tx: Tx,
  now: string,
  { livestreamId, deviceId, force, by, moveId }: MoveRequest & { moveId: string },
  { from, run, livestream }: Moved,
  { isOnline }: MoveDeps,
): MoveOrder {
  const risk = 'If it still delivers, its Destinations get the broadcast twice until it is back.';
  if (force !== true) {
    const detail = `${called('Device', from)} does not answer, so it cannot be asked to stop delivering ${calledIn(tx, 'Live stream', livestreamId)}, which stays as it is.`;
    const remedy = `Try again once the Device is back, or send force: true to start it elsewhere without asking. ${risk}`;
    throw new AppError('unavailable', detail, { remedy });
  }
  if (deviceId === from.id) throw sameDevice(from);
  if (tx.get('deviceLinks', from.id) === undefined) {
    const detail = `${called('Device', from)} has been silent for a moment only.`;
    throw new AppError('unavailable', detail, { retryAfterSeconds: 2 });
  }
  giveUp(tx, run, now, `${by} moved it by force${isLost(tx, run, now) ? '' : ', within 15 s'}`, by);
  const target = deviceId ?? otherTaker(tx, { livestream, run, from });
  const request = target === null ? {} : { deviceId: target };
  const start = { newRunId: randomUUID(), isOnline, livestreamId, request, by: { username: by } };
  orderStart(tx, now, { ...start, mayUseReserve: true });
  return { moveId, isForced: true };
}

function placeFor(
  view: View,
  moved: Moved,
  deviceId: number | null | undefined,
  { isOnline }: MoveDeps,
): DeviceAssessment {
  const { livestream, run } = moved;
  const devices = candidates(view, moved, deviceId ?? otherTaker(view, moved));
  const { channelId } = inForceOf(run, livestream);
  const bindings = resolveBindings(view, { ...livestream, channelId });
  const isRecorded = isRecordingNow(bindings.publishings, run);
  const wanted = { bindings, work: [...(run.work ?? [])], isRecorded, isLeased: run.lease === true };
  const movable = devices.filter((device) => hasFeature(device, 'moves'));
  const best = firstAble(view, isOnline, movable, wanted);
  if (best !== undefined) return best;
  const assessments = devices.map((device) => withGates(assess(view, isOnline, device, wanted)));
  const causes = assessments.map(({ against }) => against?.cause);
  // The reason that is nearest to a yes.
  const code = CODES[NEAREST.find((cause) => causes.includes(cause)) ?? 'offline'];
  const detail = `${called('Live stream', livestream)} stays on ${called('Device', moved.from)}. ${reasonsOf(assessments)}`;
  throw new AppError(code, assessments.length > 0 ? detail : `${detail}There is no other Device for it.`);
}

/** A pushed source may be listened for on a second Device, which is where it goes unless another one is named. */
function otherTaker(view: View, { livestream, run, from }: Moved): number | null {
  const { channelId } = inForceOf(run, livestream);
  const takers = takersOf(view.get('channels', channelId), livestream.backupDeviceId);
  return takers?.find((id) => id !== from.id) ?? null;
}

function withGates(assessment: DeviceAssessment): DeviceAssessment {
  const { against, device } = assessment;
  if (against !== undefined || hasFeature(device, 'moves')) return assessment;
  const why = 'has an agent of an earlier version, to which nothing can be moved on air';
  return { ...assessment, against: { cause: 'unsupported', why } };
}

/** A Device that is named is taken as it is, unless the Live stream has a group without it. */
function candidates(view: View, { livestream, from }: Moved, deviceId: number | null): readonly Readonly<Device>[] {
  const group = livestream.idEncoderGroup === null ? undefined : view.get('deviceGroups', livestream.idEncoderGroup);
  if (deviceId !== null) {
    const device = view.get('devices', deviceId);
    if (device === undefined) throw notFound('Device', deviceId);
    if (deviceId === from.id) throw sameDevice(from);
    if (group === undefined || group.devices.includes(deviceId)) return [device];
    const detail = `${called('Device', device)} is not in ${called('Device group', group)}, to which ${called('Live stream', livestream)} belongs.`;
    throw new AppError('rule_violated', detail, {
      remedy: 'Name a Device of that group, or add this one to it with updateDeviceGroup.',
    });
  }
  if (livestream.deviceId !== null) {
    const detail = `${called('Live stream', livestream)} is pinned to ${calledIn(view, 'Device', livestream.deviceId)}.`;
    throw new AppError('rule_violated', detail, { remedy: 'Name the Device that it is to be moved to as deviceId.' });
  }
  const pool =
    group === undefined ? view.find('devices', {}).rows : group.devices.flatMap((id) => view.get('devices', id) ?? []);
  return pool.filter(({ id }) => id !== from.id);
}

function sameDevice(device: Readonly<Device>): AppError {
  return new AppError('rule_violated', `It is on ${called('Device', device)} already.`, {
    remedy: 'Name another Device, or none: then one is chosen.',
  });
}
