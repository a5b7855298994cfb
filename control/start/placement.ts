/** Chooses the Device of a start: the least loaded one of its pool that can carry it, or the reasons against each. */
import { estimate, type DeviceCapacity, type WorkPart } from '../../domain/shapes/encodings/capacity.ts';
import type { StartReason, StartRefusal, StartRequest } from '../../domain/ports/control.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { recordingRefusal } from '../../domain/rules/devices/device-storage.ts';
import { hasFeature } from '../../domain/rules/devices/needed-features.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';
import type { Bindings } from './bindings.ts';
import { bestOf, byRoom, reasonsOf, type Against, type DeviceAssessment } from './assessment.ts';
import { accountIdOf, accountRefusal } from './cloud-placement.ts';
import { typeRefusal } from './device-types.ts';
import { capacityNow, freeSlot, heldBy } from './held.ts';
import { missingCapabilities } from './missing-capabilities.ts';
import { poolOf, type Pool } from './pool.ts';
import { listenedElsewhere, pushedTo, unheardAt } from './pushed-places.ts';
import { hasReserves, reserveRefusals } from './reserve.ts';
import { CHANNEL_ROWS } from '../../domain/types/channel-types.ts';

export interface Placement {
  /** null on the cloud platform, whose capacity is its own matter. */
  deviceId: number | null;
  cloudAccountId: number | null;
  /** Reserved cores, estimated with the factors learned on that Device. */
  cost: number;
  work: WorkPart[];
  /** Lowest free input slot, from 1; null on the cloud platform. */
  slot: number | null;
}

/** `remedy` is set where the general one of the reason's code would mislead. */
export type Placed = { placement: Placement } | { reason: StartReason; remedy?: string | undefined; isSoon?: boolean };
type Online = (deviceId: number) => boolean;

const NOT_IN_CLOUD =
  'The cloud platform looks after its own machines: a Live stream with onDeviceLoss move runs on Devices. Set onDeviceLoss to stay, or name no Cloud account.';

/** The part of a start that decides which Devices could carry it. */
export interface Wanted {
  bindings: Bindings;
  work: WorkPart[];
  /** A Destination that is switched on writes a Recording. */
  isRecorded: boolean;
  /** It delivers by a lease. */
  isLeased: boolean;
}

interface PlaceOptions extends Wanted {
  livestream: Readonly<Livestream>;
  request: StartRequest;
  /** ISO instant: licences end. */
  now: string;
  /** It begins elsewhere the run of a Device that is lost: the reserve is there for that. */
  mayUseReserve?: boolean | undefined;
}

export function place(view: View, isOnline: Online, options: PlaceOptions): Placed {
  const { livestream, request, bindings, work, now, mayUseReserve = false } = options;
  const elsewhere = listenedElsewhere(view, livestream, request, bindings);
  if (elsewhere !== undefined) return { reason: elsewhere };
  const accountId = accountIdOf(request, bindings);
  if (accountId !== undefined) {
    if (options.isLeased) return { reason: { code: 'unsupported', message: NOT_IN_CLOUD } };
    const reason = accountRefusal(view, isOnline, accountId, { bindings, now });
    if (reason !== undefined) return { reason };
    return { placement: { deviceId: null, cloudAccountId: accountId, cost: 0, work: [], slot: null } };
  }
  const pool = poolOf(view, livestream, request);
  if ('code' in pool) return { reason: pool };
  const assessEach = (devices: Pool['devices']): DeviceAssessment[] =>
    mayUseReserve
      ? devices.map((device) => assess(view, isOnline, device, options))
      : assessStarts(view, isOnline, devices, options);
  const keepsReserve = !mayUseReserve && hasReserves(view);
  const first = keepsReserve ? undefined : firstAble(view, isOnline, pool.devices, options);
  const assessments = first === undefined ? assessEach(pool.devices) : [first];
  const best = bestOf(assessments);
  if (best !== undefined) {
    const { device, needed } = best;
    return {
      placement: { deviceId: device.id, cloudAccountId: null, cost: needed, work, slot: freeSlot(view, device.id) },
    };
  }
  const others = view.find('devices', {}).rows.filter(({ id }) => !pool.devices.some((device) => device.id === id));
  return {
    reason: refusalOf(pool.name, assessments, assessEach(others)),
    remedy: placeRemedy(assessments),
    isSoon: assessments.some(({ against }) => against?.isSoon === true),
  };
}

/** Answers the one that bestOf answers, without a look at what is against those with less room: a fleet has a thousand Devices. */
export function firstAble(
  view: View,
  isOnline: Online,
  devices: Pool['devices'],
  wanted: Wanted,
): DeviceAssessment | undefined {
  const pushed = pushedTo(wanted.bindings);
  const inOrder = devices
    .filter((device) => device.enabled && isOnline(device.id))
    .map((device) => ({ device, ...capacityNow(view, device), isSpare: isSpareFor(pushed, device) }))
    .sort(byRoom);
  for (const { device } of inOrder) {
    const assessment = assess(view, isOnline, device, wanted);
    if (assessment.against === undefined) return assessment;
  }
  return undefined;
}

const CODES: Record<Against['cause'], Extract<StartRefusal, 'no_device' | 'unsupported' | 'no_capacity'>> = {
  disabled: 'no_device',
  offline: 'no_device',
  no_input: 'no_device',
  unsupported: 'unsupported',
  no_capacity: 'no_capacity',
  storage: 'no_capacity',
};

const NO_LEASES =
  'has an agent of an earlier version, which knows no leases, so that it takes no Live stream with onDeviceLoss move; update it there';

/** Starts go by this: a Device whose room a group keeps for a loss takes none. */
export function assessStarts(
  view: View,
  isOnline: Online,
  devices: Pool['devices'],
  wanted: Wanted,
): DeviceAssessment[] {
  const assessments = devices.map((device) => assess(view, isOnline, device, wanted));
  const able = assessments.filter(({ against }) => against === undefined).sort(byRoom);
  const kept = reserveRefusals(view, isOnline, able, wanted.work);
  return assessments.map((each) => {
    const why = each.against === undefined ? kept.get(each.device.id) : undefined;
    return why === undefined ? each : { ...each, against: { cause: 'no_capacity', why, isReserve: true } };
  });
}

/** The reserve of groups is not looked at: moves may use it. */
export function assess(
  view: View,
  isOnline: Online,
  device: Readonly<Device>,
  { bindings, work, isRecorded, isLeased }: Wanted,
): DeviceAssessment {
  const { capacity, factors } = capacityNow(view, device);
  const needed = estimate(work, factors);
  const pushed = pushedTo(bindings);
  const isSpare = isSpareFor(pushed, device);
  const against = ((): Against | undefined => {
    if (!device.enabled) return { cause: 'disabled', why: 'is disabled' };
    if (!isOnline(device.id)) return { cause: 'offline', why: 'is offline', isSoon: isSoon(view, device) };
    const { channel } = bindings;
    const card = channel && CHANNEL_ROWS[channel.type].place === 'named' ? channel.settings.deviceId : undefined;
    if (card !== undefined && card !== device.id)
      return {
        cause: 'no_input',
        why: `has not the input of Channel "${channel?.name}", which is on ${calledIn(view, 'Device', card)}`,
      };
    const unheard = unheardAt(view, pushed, device.id);
    if (unheard !== undefined) return { cause: 'no_input', why: unheard };
    const missing =
      typeRefusal(device, bindings) ??
      missingCapabilities(device.capabilities, bindings) ??
      (isLeased && !hasFeature(device, 'leases') ? NO_LEASES : undefined);
    if (missing !== undefined) return { cause: 'unsupported', why: missing };
    const unwritable = isRecorded ? recordingRefusal(device) : undefined;
    if (unwritable !== undefined) return { cause: 'storage', why: unwritable };
    const behind = heldBy(view, device.id).find((run) => run.behind !== undefined);
    if (behind !== undefined) return { cause: 'no_capacity', why: whyBehind(view, behind.id) };
    if (capacity.free >= needed) return undefined;
    return { cause: 'no_capacity', why: whyFull(view, device.id, capacity, needed) };
  })();
  return { device, capacity, needed, against, isSpare };
}

function isSpareFor(pushed: ReturnType<typeof pushedTo>, device: Readonly<Device>): boolean {
  return pushed.some(({ channel: { deviceId } }) => deviceId !== device.id);
}

/** It changes its server, or starts again; what takes longer is lost. */
function isSoon(view: View, { id, capabilities }: Readonly<Device>): boolean {
  return capabilities !== null && view.get('deviceLinks', id)?.lost !== true;
}

function whyBehind(view: View, livestreamId: number): string {
  const name = calledIn(view, 'Live stream', livestreamId);
  return `takes no more while ${name} falls behind real time there; stop or move one of its Live streams, or give that one fewer or smaller renditions`;
}

const LESS_WORK = 'Use fewer or smaller renditions, or a larger Device: to stop others would not make enough room.';

const RESERVED =
  'Stop one of the group, add a Device to it, or lower its reserve with updateDeviceGroup; what is moved after a loss may use the reserve.';

const NO_RECORD =
  'See to the disk of the Device, which is looked at each half minute, or start it with the Record switched off in startConfig.';

/** undefined where that of the reason's code says it. */
function placeRemedy(assessments: readonly DeviceAssessment[]): string | undefined {
  if (assessments.some(({ against }) => against?.isReserve === true)) return RESERVED;
  if (tooSmall(assessments)) return LESS_WORK;
  const causes = assessments.map(({ against }) => against?.cause);
  return causes.includes('storage') && !causes.includes('no_capacity') ? NO_RECORD : undefined;
}

/** True when no Device that lacks room could ever have enough of it. */
function tooSmall(assessments: readonly DeviceAssessment[]): boolean {
  const full = assessments.filter(({ against }) => against?.cause === 'no_capacity');
  return full.length > 0 && full.every(({ capacity, needed }) => exceeds(capacity, needed));
}

function exceeds({ whole }: DeviceCapacity, needed: number): boolean {
  return needed > whole;
}

const NAMED = 5;

/** Names what could be stopped to make room, the dearest first. */
function whyFull(view: View, deviceId: number, capacity: DeviceCapacity, needed: number): string {
  const room = `has ${roomIn(capacity)}, of the about ${needed.toFixed(2)} that this start needs`;
  if (exceeds(capacity, needed)) return `${room}, more than it has when nothing runs`;
  const runs = [...heldBy(view, deviceId)].sort((a, b) => b.cost - a.cost);
  const names = runs.slice(0, NAMED).map(({ id }) => calledIn(view, 'Live stream', id));
  return `${room}; it runs ${names.join(', ')}${runs.length > NAMED ? ` and ${runs.length - NAMED} more` : ''}`;
}

function roomIn({ free, slots, others }: DeviceCapacity): string {
  const taken = others === 0 ? '' : `; other programs take ${others.toFixed(2)} cores`;
  return `${free.toFixed(2)} cores free (${slots.used} of ${slots.total} slots used${taken})`;
}

/** The code is that of the Devices that passed most checks; the message names them. `others` are outside of the pool. */
function refusalOf(
  pool: string,
  assessments: readonly DeviceAssessment[],
  others: readonly DeviceAssessment[],
): StartReason {
  const codes = assessments.map(({ against }) => against && CODES[against.cause]);
  const code = (['no_capacity', 'unsupported'] as const).find((candidate) => codes.includes(candidate)) ?? 'no_device';
  const elsewhere = code === 'no_capacity' && others.length > 0 ? ` ${roomElsewhere(others)}` : '';
  const text = `${reasonsOf(assessments)}${elsewhere}`;
  if (assessments.length === 1 && pool === '') return { code, message: text };
  if (pool !== '') return { code, message: `No Device ${pool} can take this Live stream. ${text}` };
  const remedy = code === 'no_device' ? ' The command `onair device` starts the agent of this machine.' : '';
  return { code, message: `No Device can take this Live stream.${text === '' ? '' : ` ${text}`}${remedy}` };
}

function roomElsewhere(others: readonly DeviceAssessment[]): string {
  const able = others.filter(({ against }) => against === undefined).sort(byRoom);
  if (able.length === 0) return 'No other Device could take it either.';
  const rooms = able
    .slice(0, NAMED)
    .map(({ device, capacity }) => `${called('Device', device)} has ${roomIn(capacity)}`);
  return `Room elsewhere: ${rooms.join('; ')}${able.length > NAMED ? `; and at ${able.length - NAMED} more` : ''}.`;
}
