/** The reserve of Device groups, which starts leave free: so many of its Devices may be lost, and the others carry what those had on air. */
import { slotsOf, usualCost, type PromisedRun, type WorkPart } from '../../domain/shapes/encodings/capacity.ts';
import { firstToReturn } from '../../domain/rules/broadcasts/priority.ts';
import { carriesLosses, type GroupMember, type GroupRun } from '../../domain/rules/devices/group-reserve.ts';
import type { DeviceGroup } from '../../domain/shapes/devices/device-group.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import { called } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';
import { capacityNow, factorsOf, heldBy } from './held.ts';

type Online = (deviceId: number) => boolean;

interface Reserve {
  group: Readonly<DeviceGroup>;
  /** How many more may be lost: those that are gone already are among the reserve. */
  losses: number;
  members: ReadonlyMap<number, GroupMember>;
  homeless: readonly GroupRun[];
}

/** With so many candidates, those with less room than these get the answer of the last of them. */
const MAX_TRIED = 100;
/** The answer is right to a sixty-fourth of what is free. */
const HALVINGS = 6;

interface Candidate {
  device: Readonly<Device>;
  /** Cores that the start needs there. */
  needed: number;
}

export function hasReserves(view: View): boolean {
  return reservingGroups(view).length > 0;
}

function reservingGroups(view: View): Readonly<DeviceGroup>[] {
  return view.find('deviceGroups', {}).rows.filter(({ reserve = 0 }) => reserve > 0);
}

/**
 * Why a start may not go to some of the Devices, by their ids: a group that the Device is in would not keep its reserve. Each continues a
 * sentence that begins with the Device's name. `candidates` are in the order of their room, and could take the start otherwise.
 */
export function reserveRefusals(
  view: View,
  isOnline: Online,
  candidates: readonly Candidate[],
  work: readonly WorkPart[],
): Map<number, string> {
  const refusals = new Map<number, string>();
  const reserves = reservingGroups(view).map((group) => reserveOf(view, isOnline, group));
  if (reserves.length === 0) return refusals;
  let why: string | undefined;
  for (const [at, candidate] of candidates.entries()) {
    if (at < MAX_TRIED) why = refusalOf(view, reserves, candidate, work);
    if (why !== undefined) refusals.set(candidate.device.id, why);
  }
  return refusals;
}

/** The slots that a start may still take in the group, where it goes to the Device with most room; undefined where it has no reserve. */
export function slotsBesideReserve(view: View, isOnline: Online, group: Readonly<DeviceGroup>): number | undefined {
  if ((group.reserve ?? 0) === 0) return undefined;
  const reserve = reserveOf(view, isOnline, group);
  const [freest] = [...reserve.members].sort(([, a], [, b]) => b.free - a.free);
  return freest === undefined ? 0 : fitting(reserve, freest[0]);
}

function reserveOf(view: View, isOnline: Online, group: Readonly<DeviceGroup>): Reserve {
  const devices = group.devices.flatMap((id) => view.get('devices', id) ?? []);
  const held = devices.map((device) => ({ device, runs: heldBy(view, device.id), factors: factorsOf(view, device) }));
  const order = firstToReturn(
    view,
    held.flatMap(({ runs }) => runs),
  );
  const ranks = new Map(order.map((run, rank) => [run, rank]));
  const members = new Map<number, GroupMember>();
  const homeless: GroupRun[] = [];
  for (const { device, runs, factors } of held) {
    const own = runs.map((run) => ({ slots: slotsOf(run, factors), rank: ranks.get(run) ?? 0 }));
    const { free, whole } = capacityNow(view, device).capacity;
    const usual = usualCost(factors);
    if (device.enabled && isOnline(device.id))
      members.set(device.id, { free: free / usual, whole: whole / usual, runs: own });
    else homeless.push(...own);
  }
  const gone = devices.length - members.size;
  return { group, losses: Math.max(0, (group.reserve ?? 0) - gone), members, homeless };
}

function refusalOf(
  view: View,
  reserves: readonly Reserve[],
  { device, needed }: Candidate,
  work: readonly WorkPart[],
): string | undefined {
  const run: PromisedRun = { cost: needed, work };
  const slots = slotsOf(run, factorsOf(view, device));
  const full = reserves.find((reserve) => reserve.members.has(device.id) && !isKept(reserve, device.id, slots));
  if (full === undefined) return undefined;
  const { group } = full;
  const room = fitting(full, device.id);
  const fits = room < 0.05 ? 'nothing more' : `about ${room.toFixed(1)} slots more`;
  const lost = group.reserve === 1 ? 'the loss of 1 of its Devices' : `the loss of ${group.reserve} of its Devices`;
  return `has room, but ${called('Device group', group)} keeps enough free for ${lost} (reserve); this start needs ${slots.toFixed(1)} slots, and ${fits} would fit beside the reserve`;
}

function isKept({ losses, members, homeless }: Reserve, deviceId: number, slots: number): boolean {
  const changed = [...members].map(([id, member]) => {
    if (id !== deviceId) return member;
    return { ...member, free: member.free - slots, runs: [...member.runs, { slots, rank: Infinity }] };
  });
  return carriesLosses({ members: changed, homeless }, losses);
}

function fitting(reserve: Reserve, deviceId: number): number {
  let fits = 0;
  let tooMuch = reserve.members.get(deviceId)?.free ?? 0;
  if (isKept(reserve, deviceId, tooMuch)) return tooMuch;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (fits + tooMuch) / 2;
    if (isKept(reserve, deviceId, middle)) fits = middle;
    else tooMuch = middle;
  }
  return fits;
}
