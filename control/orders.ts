/** The two orders that a user gives, as rows inside one commit. The reconciler carries them out. */
import { AppError, notFound } from '../domain/base/errors.ts';
import type { OrderResult, StartRequest } from '../domain/ports/control.ts';
import { assetsOf } from '../domain/rules/media/asset.ts';
import { movesOnLoss } from '../domain/rules/broadcasts/device-loss.ts';
import { withBeginning } from '../domain/rules/broadcasts/run-again.ts';
import { giveUp, isLost } from '../domain/rules/devices/device-presence.ts';
import { addEvent } from '../domain/rules/rows/event-log.ts';
import { closeFiring, openFirings } from '../domain/rules/schedules/schedule-firings.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import { calledIn } from '../domain/base/sentence.ts';
import type { Tx, View } from '../domain/ports/store.ts';
import { admit, refusal } from './start/admission.ts';
import { inForceAtStart } from './start/in-force.ts';
import { placeName, placeOf } from './locations.ts';

export interface OrderBy {
  username: string;
  /** Set for the order of a Schedule, which has settled its occurrence itself. */
  scheduleId?: number;
}

interface OrderStartOptions {
  newRunId: string;
  isOnline: (deviceId: number) => boolean;
  livestreamId: number;
  request: StartRequest;
  by: OrderBy;
  /** It begins elsewhere the run of a Device that is lost. */
  mayUseReserve?: boolean;
}

export function orderStart(
  tx: Tx,
  now: string,
  { newRunId, isOnline, livestreamId, request, by, mayUseReserve = false }: OrderStartOptions,
): OrderResult {
  const present = tx.get('runs', livestreamId);
  if (present !== undefined && (present.status === 1 || present.status === 2)) {
    // A Schedule moves nothing by itself.
    const isGivenUp = isLost(tx, present, now) && by.scheduleId === undefined;
    if (isGivenUp) {
      giveUp(tx, present, now, `${givenBy(tx, by)} started it anew`, by.username);
      return orderStart(tx, now, { newRunId, isOnline, livestreamId, request, by, mayUseReserve: true });
    }
    if (present.desired === 'on') return { accepted: false, run: present };
    throw new AppError(
      'wrong_state',
      `${calledIn(tx, 'Live stream', livestreamId)} is being stopped; start it again once its status is 0.`,
      {
        facts: { state: present.status, allowed: [0, 3] },
        retryAfterSeconds: 2,
      },
    );
  }
  const admission = admit(tx, isOnline, livestreamId, { ...request, mayUseReserve }, now);
  const { placement, startConfig, boundPublishings, boundEncodings, livestream } = admission;
  if (placement === undefined) throw refusal(admission);
  const run: Run = {
    id: livestreamId,
    desired: 'on',
    status: 1,
    errorstatus: null,
    since: now,
    started_at: now,
    runId: newRunId,
    ...placement,
    startConfig,
    startedWith: startConfig,
    boundPublishings,
    ...(livestream.publishingGroupId !== null && { boundGroup: livestream.publishingGroupId }),
    boundEncodings,
    boundAssets: assetsOf(tx, livestream),
    boundChannels: [livestream.channelId, ...(livestream.backupChannelId === null ? [] : [livestream.backupChannelId])],
    inForce: inForceAtStart(livestream),
    scheduleId: by.scheduleId ?? null,
    requested_by: by.username,
    lastEventSeq: 0,
    ...(movesOnLoss(livestream) && { lease: true }),
  };
  if (present === undefined) tx.insert('runs', run);
  else tx.put('runs', run);
  addEvent(tx, now, livestreamId, {
    kind: 'start_requested',
    severity: 'info',
    message: `${givenBy(tx, by)} started "${livestream.name}".`,
    data: {
      runId: newRunId,
      user: by.username,
      ...(placement.cloudAccountId === null
        ? { deviceId: placement.deviceId }
        : { cloudAccountId: placement.cloudAccountId }),
    },
  });
  return { accepted: true, run };
}

export function orderStop(tx: Tx, now: string, livestreamId: number, by: OrderBy): OrderResult {
  const livestream = tx.get('livestreams', livestreamId);
  if (livestream === undefined) throw notFound('Live stream', livestreamId);
  if (by.scheduleId === undefined) endOccurrences(tx, now, livestreamId, by);
  const present = tx.get('runs', livestreamId);
  const isStopping = present?.desired === 'off' && !isLost(tx, present, now);
  if (present === undefined || present.status === 0 || isStopping) return { accepted: false, run: present };
  const unmoved = present.move == null ? {} : { move: null, otherDeviceId: null };
  const run: Run = { ...present, ...unmoved, desired: 'off' };
  tx.put('runs', run);
  addEvent(tx, now, livestreamId, {
    kind: 'stop_requested',
    severity: 'info',
    message: `${givenBy(tx, by)} stopped "${livestream.name}".`,
    data: {
      runId: run.runId,
      user: by.username,
    },
  });
  if (!isLost(tx, run, now)) return { accepted: true, run };
  giveUp(tx, run, now, `${givenBy(tx, by)} stopped it`, by.username);
  return { accepted: true, run: tx.get('runs', livestreamId) };
}

function givenBy(view: View, { username, scheduleId }: OrderBy): string {
  return scheduleId === undefined ? username : `Schedule "${view.get('schedules', scheduleId)?.name ?? scheduleId}"`;
}

/** A person who stops a Live stream does not want its Schedule to start it again, even where the Schedule is still trying to. */
function endOccurrences(tx: Tx, now: string, livestreamId: number, { username }: OrderBy): void {
  for (const firing of openFirings(tx, { livestreamId })) {
    const { scheduleId, occurrence_start } = closeFiring(tx, firing);
    const message = `${username} ended this occurrence of "${tx.get('schedules', scheduleId)?.name}"; it is not started again.`;
    addEvent(tx, now, livestreamId, {
      kind: 'schedule_stopped',
      severity: 'info',
      message,
      data: { scheduleId, occurrence_start },
    });
  }
}

/** The run's place has lost it and gets it anew, so its events are counted from 1 again. */
export function orderAgain(tx: Tx, now: string, { id, runId }: Readonly<Run>): void {
  const present = tx.get('runs', id);
  if (present?.runId !== runId) return;
  const { behind: _behind, ...run } = present;
  tx.put('runs', { ...withBeginning(run, now), lastEventSeq: 0 });
  const message = `${placeName(tx, placeOf(present))} has lost the run and begins it anew.`;
  addEvent(tx, now, id, { kind: 'encoder_restarted', severity: 'warning', message, data: { runId } });
}
