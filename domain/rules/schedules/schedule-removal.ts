/** Deletes what belongs to a Schedule, and repairs what stays. */
import type { Schedule } from '../../shapes/schedules/schedule.ts';
import type { Tx } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';
import { cancelActions } from './planned-action.ts';
import { closeFiring, openFirings, retireFirings } from './schedule-firings.ts';

/** Other Schedules that one event names. */
const MAX_NAMED = 5;

interface RemovedBy {
  now: string;
  username: string;
}

/** Deletes a Schedule with its skips. The record of its broadcasts stays with the Live stream. */
export function removeSchedule(tx: Tx, { id }: Readonly<Schedule>, now: string): void {
  for (const firing of openFirings(tx, { scheduleId: id })) closeFiring(tx, firing);
  for (const skip of tx.find('scheduleSkips', { where: { scheduleId: id } }).rows) tx.delete('scheduleSkips', skip.id);
  cancelActions(tx, now, { scheduleId: id });
  tx.delete('schedules', id);
  retireFirings(tx, id, now, Infinity);
}

/** Every path of its Destinations is off at the next start, until somebody switches one on in startConfig. */
export function switchDestinationsOff(tx: Tx, schedule: Readonly<Schedule>, livestreamId: number, by: RemovedBy): void {
  const run = tx.get('runs', livestreamId);
  if (run === undefined) return;
  const startConfig = run.startConfig.map((entry) => ({ ...entry, primary: false, backup: false }));
  tx.put('runs', { ...run, startConfig, startedWith: startConfig });
  tellSwitchedOff(tx, schedule, livestreamId, by);
}

/** Other Schedules of the Live stream start with the same configuration; until somebody corrects it, they cannot start. */
function tellSwitchedOff(
  tx: Tx,
  { id: scheduleId, name }: Readonly<Schedule>,
  livestreamId: number,
  { now, username: user }: RemovedBy,
): void {
  const { rows } = tx.find('schedules', { where: { livestreamId, enabled: true } });
  const others = rows.filter((row) => row.id !== scheduleId && (row.recurrence.type !== 'none' || row.end > now));
  const firstRows = others.slice(0, MAX_NAMED);
  const more = others.length > firstRows.length ? ` and ${others.length - firstRows.length} more` : '';
  const names = firstRows.map((row) => row.name).join(', ');
  const waiting = firstRows.length === 0 ? '' : ` Until then these Schedules cannot start it: ${names}${more}.`;
  const message =
    `${user} deleted Schedule "${name}" while it was on air, so the Destinations are switched off for the next start. ` +
    `To switch them on, start it once with startLivestream and a startConfig that names them.${waiting}`;
  const schedules = firstRows.map(({ id }) => id);
  addEvent(tx, now, livestreamId, {
    kind: 'schedule_stopped',
    severity: 'warning',
    message,
    data: { scheduleId, schedules, user },
  });
}
