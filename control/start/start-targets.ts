/**
 * Lists the places where a Live stream could be started: every Device group, Device and Cloud account, with the checks of a start, best
 * first.
 */
import { workOf } from '../../domain/shapes/encodings/capacity.ts';
import type { CloudAccount } from '../../domain/shapes/devices/cloud-account.ts';
import type { StartTarget, StartTargets } from '../../domain/ports/control.ts';
import type { DeviceGroup } from '../../domain/shapes/devices/device-group.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { movesOnLoss } from '../../domain/rules/broadcasts/device-loss.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';
import { admit } from './admission.ts';
import { resolveBindings, sourceSize } from './bindings.ts';
import { checkAccount } from './cloud-placement.ts';
import { lastResort } from './device-types.ts';
import { bestOf, type DeviceAssessment } from './assessment.ts';
import { assessStarts } from './placement.ts';
import { renditionsOf } from './run-spec.ts';

/** A target, and the Device that stands for it. */
interface Candidate {
  target: StartTarget;
  best: DeviceAssessment | undefined;
}

type Online = (place: number) => boolean;

export function startTargets(view: View, isOnline: Online, livestreamId: number, now: string): StartTargets {
  const { livestream, ownReasons: reasons, isRecorded } = admit(view, isOnline, livestreamId, {}, now);
  const bindings = resolveBindings(view, livestream);
  const work = workOf(renditionsOf(bindings.encodings, bindings.asset), sourceSize(view, bindings));
  const devices = view.find('devices', {}).rows;
  const isLeased = movesOnLoss(livestream);
  const assessments = assessStarts(view, isOnline, devices, { bindings, work, isRecorded, isLeased });
  const candidates = [
    ...groupsOf(view, livestream, assessments),
    ...assessments.map((each) => deviceTarget(view, livestream, each)),
  ].sort(byMerit);
  const accounts = view
    .find('cloudAccounts', {})
    .rows.map((account) => cloudTarget(view, account, isOnline, { bindings, now }));
  const onSite = candidates.map(({ target }) => target);
  // The platform is the last resort, and the only place for a Channel that is received there.
  const free = accounts.filter(({ available }) => available);
  const rest = accounts.filter(({ available }) => !available);
  const fits = ({ available, reason }: StartTarget): boolean => available && reason === null;
  const targets = [...onSite.filter(fits), ...free, ...onSite.filter((target) => !fits(target)), ...rest];
  const first = targets[0];
  if (first !== undefined && fits(first) && reasons.length === 0) first.recommended = true;
  return { reasons, targets };
}

/**
 * Configured targets come before others, those with room before those without, those on site before those of a cloud; then the load
 * decides, and a group comes before the Device that it would choose.
 */
function byMerit(a: Candidate, b: Candidate): number {
  const rank = ({ target }: Candidate): number => (target.available ? (target.reason === null ? 0 : 1) : 2);
  const isOfCloud = ({ best }: Candidate): number => (best === undefined ? 0 : lastResort(best.device));
  const groupFirst = (target: StartTarget): number => (target.kind === 'device_group' ? 0 : 1);
  return (
    rank(a) - rank(b) ||
    Number(a.best?.isSpare ?? false) - Number(b.best?.isSpare ?? false) ||
    isOfCloud(a) - isOfCloud(b) ||
    (a.best?.capacity.load ?? 1) - (b.best?.capacity.load ?? 1) ||
    (b.best?.capacity.free ?? 0) - (a.best?.capacity.free ?? 0) ||
    groupFirst(a.target) - groupFirst(b.target) ||
    a.target.id - b.target.id
  );
}

function deviceTarget(view: View, livestream: Readonly<Livestream>, assessment: DeviceAssessment): Candidate {
  const { device, capacity, needed, against } = assessment;
  const { free, load, slots } = capacity;
  const mismatch = mismatchOf(view, livestream, device.id);
  const reasonOf = (code: NonNullable<StartTarget['reason']>['code'], why: string): StartTarget['reason'] => {
    return { code, message: `${called('Device', device)} ${why}` };
  };
  const reason =
    against !== undefined
      ? reasonOf(against.cause, `${against.why}.`)
      : mismatch === undefined
        ? null
        : reasonOf('wrong_group', mismatch);
  const target: StartTarget = {
    kind: 'device',
    id: device.id,
    name: device.name,
    available: against === undefined,
    recommended: false,
    reason,
    capacity: { free, load, slots },
    needed,
  };
  return { target, best: assessment };
}

/** Explains why a Device is not the place that the Live stream is configured for; a start that names it runs there all the same. */
function mismatchOf(view: View, livestream: Readonly<Livestream>, deviceId: number): string | undefined {
  const { deviceId: pinned, idEncoderGroup } = livestream;
  if (pinned !== null) {
    if (pinned === deviceId) return undefined;
    return `is not ${calledIn(view, 'Device', pinned)}, which the Live stream is pinned to; a start that names it goes there all the same.`;
  }
  const group = idEncoderGroup === null ? undefined : view.get('deviceGroups', idEncoderGroup);
  if (group === undefined || group.devices.includes(deviceId)) return undefined;
  return `is not in ${called('Device group', group)}, which the Live stream is configured for; a start that names it goes there all the same.`;
}

function groupsOf(view: View, livestream: Readonly<Livestream>, assessments: readonly DeviceAssessment[]): Candidate[] {
  return view.find('deviceGroups', {}).rows.map((group): Candidate => {
    const { id, name, devices } = group;
    const members = assessments.filter(({ device }) => devices.includes(device.id));
    const best = bestOf(members);
    const usable = members.filter(({ against }) => against === undefined || against.cause === 'no_capacity');
    const sum = (of: (member: DeviceAssessment) => number): number =>
      usable.reduce((total, member) => total + of(member), 0);
    const free = sum(({ capacity }) => capacity.free);
    const promised = sum(({ capacity }) => capacity.promised);
    const slots = {
      used: sum((each) => each.capacity.slots.used),
      free: sum((each) => each.capacity.slots.free),
      total: sum((each) => each.capacity.slots.total),
    };
    const load = free + promised === 0 ? 0 : Math.round((promised / (free + promised)) * 100) / 100;
    const target: StartTarget = {
      kind: 'device_group',
      id,
      name,
      available: best !== undefined,
      recommended: false,
      reason: groupReason(view, livestream, group, members, best),
      capacity: { free, load, slots },
      needed: best?.needed ?? null,
    };
    return { target, best };
  });
}

function groupReason(
  view: View,
  { deviceId, idEncoderGroup }: Readonly<Livestream>,
  row: Readonly<DeviceGroup>,
  members: readonly DeviceAssessment[],
  best: DeviceAssessment | undefined,
): StartTarget['reason'] {
  const group = called('Device group', row);
  if (members.length === 0) return { code: 'empty', message: `${group} is empty; add Devices with updateDeviceGroup.` };
  if (best === undefined) {
    const order = ['no_capacity', 'storage', 'unsupported', 'no_input', 'offline', 'disabled'] as const;
    const code = order.find((cause) => members.some(({ against }) => against?.cause === cause)) ?? 'offline';
    const each = members.map(({ device, against }) => `${called('Device', device)} ${against?.why ?? ''}.`);
    return { code, message: `No Device of ${group} can take it. ${each.join(' ')}` };
  }
  const elsewhere =
    deviceId !== null
      ? `the Live stream is pinned to ${calledIn(view, 'Device', deviceId)}`
      : idEncoderGroup !== null && idEncoderGroup !== row.id
        ? `the Live stream is configured for ${calledIn(view, 'Device group', idEncoderGroup)}`
        : undefined;
  if (elsewhere === undefined) return null;
  return {
    code: 'wrong_group',
    message: `${group} has room, but ${elsewhere}; a start that names the group goes there all the same.`,
  };
}

function cloudTarget(
  view: View,
  account: Readonly<CloudAccount>,
  isOnline: Online,
  wanted: Parameters<typeof checkAccount>[3],
): StartTarget {
  const { id, client: name } = account;
  const reason = checkAccount(view, isOnline, account, wanted) ?? null;
  const available = reason === null;
  return { kind: 'cloud', id, name, available, recommended: false, reason, capacity: null, needed: null };
}
