/** The steps of a run that was on air and begins anew, each inside a commit. Nothing but an order ends it. */
import { toIso } from '../../time/clock.ts';
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import { ended } from '../../base/sentence.ts';
import type { Tx } from '../../ports/store.ts';
import { recordOn } from './recording-runs.ts';
import { addEvent } from '../rows/event-log.ts';
import { openFirings } from '../schedules/schedule-firings.ts';
import { deviceName, epochAfter } from './run-move.ts';

/** The place at which it goes on. */
export type NewPlace = Pick<Run, 'runId' | 'deviceId' | 'slot' | 'cost' | 'work'>;

/** A Destination that holds on to the former connection lets go of it within seconds; a source that is away may be so for hours. */
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 60_000;

/** Whether viewers have had it: it is on air, or begins anew. */
export function wasOnAir({ status, again }: Pick<Run, 'status' | 'again'>): boolean {
  return status === STATUS.running || again !== undefined;
}

/** Milliseconds until it begins. */
export function pauseLeftMs({ again }: Pick<Run, 'again'>, nowMs: number): number {
  return again === undefined ? 0 : Math.max(0, Date.parse(again.at) - nowMs);
}

/** The run begins at the place. */
export function enterPlace(tx: Tx, run: Readonly<Run>, now: string, place: NewPlace): Run {
  const { behind: _behind, measured: _measured, work: _work, move: _move, otherDeviceId: _other, ...rest } = run;
  const next: Run = { ...rest, ...place, epoch: epochAfter(run), status: 1, since: now, lastEventSeq: 0 };
  tx.put('runs', next);
  for (const firing of openFirings(tx, { livestreamId: run.id }))
    if (firing.runId === run.runId) tx.put('firings', { ...firing, runId: next.runId });
  recordOn(tx, run, next.runId);
  return next;
}

/** It begins now. One that has never been on air is a first start, which fails like any other. */
export function withBeginning(run: Readonly<Run>, now: string): Readonly<Run> {
  return wasOnAir(run) ? { ...run, again: { failed: run.again?.failed ?? 0, at: now } } : run;
}

/** Its new start has come to nothing, and has ended: it begins once more after a pause. */
export function beginOnceMore(tx: Tx, run: Readonly<Run>, now: string, place: NewPlace, why: string): void {
  const failed = (run.again?.failed ?? 0) + 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failed - 1), MAX_PAUSE_MS);
  const at = toIso(Date.parse(now) + pauseMs);
  const { runId } = enterPlace(tx, { ...run, again: { failed, at } }, now, place);
  const name = tx.get('livestreams', run.id)?.name;
  const here = run.cloudAccountId == null ? deviceName(tx, run.deviceId) : 'the cloud platform';
  const where = place.deviceId === run.deviceId ? 'there' : `on ${deviceName(tx, place.deviceId)}`;
  addEvent(tx, now, run.id, {
    kind: 'encoder_restarted',
    severity: 'error',
    message: `"${name}" has not come back on air on ${here}: ${ended(why)} It begins anew ${where} in ${pauseMs / 1000} s.`,
    data: { runId, from: run.deviceId, to: place.deviceId, failed, at, reason: why },
  });
}

/** It is on air again, without having left its place. */
export function endAgain(tx: Tx, { id, runId }: Readonly<Run>): void {
  const present = tx.get('runs', id);
  if (present?.runId !== runId || present.again === undefined) return;
  const { again: _again, ...row } = present;
  tx.put('runs', row);
}
