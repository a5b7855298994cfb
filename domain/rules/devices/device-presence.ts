/**
 * Whether Devices are there, as steps of a commit. What is ordered of a Device that is lost stays as it is until a person decides: it may be on
 * air, out of reach of its servers.
 */
import { LONE_MEMBER, LOST_MS, type DeviceOwner } from '../../shapes/devices/device-owner.ts';
import type { DeviceView } from '../../shapes/devices/device.ts';
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import { calledIn } from '../../base/sentence.ts';
import type { Tx, View } from '../../ports/store.ts';
import { NOTED_MS, notOver, OVER_MS } from './device-owner.ts';
import { addEvent } from '../rows/event-log.ts';
import { endedRun } from '../broadcasts/run-failure.ts';
import { followRun } from '../schedules/schedule-firings.ts';

const LOST_SECONDS = LOST_MS / 1000;

/** The row as long as its owner is still the one that was looked at. */
function ownedBy(view: View, deviceId: number, ownerId: string | null): Readonly<DeviceOwner> | undefined {
  const present = view.get('deviceLinks', deviceId);
  return present?.acceptedMemberId === ownerId ? present : undefined;
}

/** Notes that nothing is heard of the Device since then. One that nobody had to claim, as that of a server's own machine, gets its row here. */
export function noteAway(tx: Tx, deviceId: number, ownerId: string | null, since: string): void {
  if (tx.get('devices', deviceId) === undefined) return;
  const present = ownedBy(tx, deviceId, ownerId);
  if (present !== undefined && present.away_since === undefined)
    tx.put('deviceLinks', { ...present, away_since: since });
  if (tx.get('deviceLinks', deviceId) !== undefined || ownerId !== null) return;
  tx.insert('deviceLinks', { ...unclaimed(deviceId, since), away_since: since });
}

function unclaimed(id: number, now: string): DeviceOwner {
  const none = { memberId: LONE_MEMBER, token: 0, acceptedMemberId: LONE_MEMBER, acceptedToken: 0, address: null };
  return { id, ...none, claimed_at: now };
}

/** Notes that the Device has said what no Device says, so that its connection was closed; one that goes on is told once. */
export function noteNotUnderstood(tx: Tx, deviceId: number, reason: string, now: string): void {
  if (tx.get('devices', deviceId) === undefined) return;
  const present = tx.get('deviceLinks', deviceId);
  const before = present?.not_understood;
  const age = before === undefined ? Infinity : Date.parse(now) - Date.parse(before.seen_at);
  if (age < NOTED_MS) return;
  const isSame = age < OVER_MS;
  const not_understood = { reason, since: isSame ? before!.since : now, seen_at: now };
  if (present === undefined) tx.insert('deviceLinks', { ...unclaimed(deviceId, now), not_understood });
  else tx.put('deviceLinks', { ...present, not_understood });
  if (isSame) return;
  const message = `${calledIn(tx, 'Device', deviceId)} is not understood, so its connection was closed and is opened again later; its broadcasts go on. ${reason} Compare its version with the server's, and see who has access to that machine.`;
  addEvent(tx, now, null, { kind: 'device_not_understood', severity: 'error', message, data: { deviceId, reason } });
}

/** Why the Device is not understood now, as people see it. */
export function notUnderstood(owner: Readonly<DeviceOwner> | undefined, nowMs: number): DeviceView['not_understood'] {
  const occurrence = notOver(owner?.not_understood, nowMs);
  return occurrence === undefined ? null : { reason: occurrence.reason, since: occurrence.since };
}

/** Notes that the Device is lost. What was to stop there is given up. */
export function noteLost(tx: Tx, deviceId: number, ownerId: string | null, now: string): void {
  const present = ownedBy(tx, deviceId, ownerId);
  if (present?.away_since === undefined || present.lost === true) return;
  tx.put('deviceLinks', { ...present, lost: true });
  const since = { deviceId, away_since: present.away_since };
  const device = calledIn(tx, 'Device', deviceId);
  addEvent(tx, now, null, {
    kind: 'device_lost',
    severity: 'error',
    message: `${device} has been silent for ${LOST_SECONDS} s.`,
    data: since,
  });
  const { rows } = tx.find('runs', { where: { deviceId, desired: 'off', status: { notIn: [STATUS.stopped] } } });
  for (const run of rows) giveUp(tx, run, now, 'It was being stopped');
  for (const run of runsOf(tx, deviceId)) {
    const message = `${device} has been silent for ${LOST_SECONDS} s: whether this is on air is not known. Stop it to give the run up, or start it on another Device.`;
    addEvent(tx, now, run.id, {
      kind: 'device_lost',
      severity: 'error',
      message,
      data: { ...since, runId: run.runId },
    });
  }
}

/** Notes that the Device is heard again. */
export function noteBack(tx: Tx, deviceId: number, now: string): void {
  const present = tx.get('deviceLinks', deviceId);
  if (present?.away_since === undefined) return;
  const { away_since, lost, ...row } = present;
  tx.put('deviceLinks', row);
  if (lost === undefined) return;
  const facts = { deviceId, away_since };
  const message = `${calledIn(tx, 'Device', deviceId)} is back.`;
  for (const livestreamId of [null, ...runsOf(tx, deviceId).map(({ id }) => id)])
    addEvent(tx, now, livestreamId, { kind: 'device_returned', severity: 'info', message, data: facts });
}

/** Whether nobody can say what the run does, because its Device is lost. */
export function isLost(view: View, { deviceId }: Pick<Run, 'deviceId'>, now: string): boolean {
  const owner = deviceId === null ? undefined : view.get('deviceLinks', deviceId);
  if (owner?.away_since === undefined) return false;
  // It is noted within a second, and status says so before.
  return owner.lost === true || Date.parse(now) - Date.parse(owner.away_since) >= LOST_MS;
}

/** The Live stream is off from here on, whatever its Device does; it ends the run when it is back. `why` begins the sentence of the event. */
export function giveUp(tx: Tx, run: Readonly<Run>, now: string, why: string, user?: string): void {
  const { id: livestreamId, runId, deviceId } = run;
  const owner = deviceId === null ? undefined : tx.get('deviceLinks', deviceId);
  if (owner === undefined || deviceId === null) return;
  tx.put('deviceLinks', { ...owner, given_up: [...(owner.given_up ?? []), { livestreamId, runId }] });
  tx.put('runs', { ...endedRun(run, now), desired: 'off' });
  followRun(tx, run, STATUS.stopped, now);
  const message = `${why}; the run is given up, because ${calledIn(tx, 'Device', deviceId)} is lost. If it still delivers there, that ends when the Device is back.`;
  const facts = { runId, deviceId, ...(user !== undefined && { user }) };
  addEvent(tx, now, livestreamId, { kind: 'run_given_up', severity: 'warning', message, data: facts });
}

/** Notes of runs that were given up that nothing is left of them at the Device, which is back. */
export function noteEndsThere(tx: Tx, deviceId: number, isOver: (runId: string) => boolean, now: string): void {
  const owner = tx.get('deviceLinks', deviceId);
  if (owner?.given_up === undefined) return;
  const { given_up: all, ...row } = owner;
  const left = all.filter(({ runId }) => !isOver(runId));
  if (left.length === all.length) return;
  tx.put('deviceLinks', { ...row, ...(left.length > 0 && { given_up: left }) });
  for (const { livestreamId, runId } of all.filter((each) => !left.includes(each))) {
    if (tx.get('livestreams', livestreamId) === undefined) continue;
    const message = `${calledIn(tx, 'Device', deviceId)} is back, and the run that was given up has ended there.`;
    addEvent(tx, now, livestreamId, { kind: 'device_returned', severity: 'info', message, data: { deviceId, runId } });
  }
}

function runsOf(view: View, deviceId: number): readonly Readonly<Run>[] {
  return view.find('runs', { where: { deviceId, status: { in: [STATUS.starting, STATUS.running] } } }).rows;
}
