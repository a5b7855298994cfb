/** Effects of a Live stream's stop on the Schedule that has it on air, or is trying to. */
import { toIso } from '../../time/clock.ts';
import { nextOccurrence } from '../../time/recurrence.ts';
import type { Schedule } from '../../shapes/schedules/schedule.ts';
import type { Tx, View } from '../../ports/store.ts';
import { openFirings } from './schedule-firings.ts';
import { retimeActions } from './relative-actions.ts';
import { plannedOf } from './schedule-rules.ts';

export interface StoppedSchedule {
  schedule: Readonly<Schedule>;
  /** The Schedule was for one occurrence, and nothing of it is left. */
  isOnce: boolean;
  /** Start of the next occurrence; null when there is none. */
  nextStart: string | null;
}

/** Call it before the stop, which ends the occurrence. */
export function scheduleOnAir(view: View, livestreamId: number, now: string): StoppedSchedule | undefined {
  const [firing] = openFirings(view, { livestreamId });
  const schedule = firing && view.get('schedules', firing.scheduleId);
  if (firing === undefined || schedule === undefined) return undefined;
  if (schedule.recurrence.type === 'none') return { schedule, isOnce: true, nextStart: null };
  if (!schedule.enabled) return { schedule, isOnce: false, nextStart: null };
  const { series, without } = plannedOf(view, schedule, now);
  let next = nextOccurrence(series, Math.max(Date.parse(now), Date.parse(firing.occurrence_start) + 1));
  while (next !== undefined && without.has(next.startMs)) next = nextOccurrence(series, next.startMs + 1);
  return { schedule, isOnce: false, nextStart: next === undefined ? null : toIso(next.startMs) };
}

/** A Schedule for one occurrence whose broadcast was stopped is cancelled; a series goes on. */
export function cancelOnce(tx: Tx, { schedule, isOnce }: StoppedSchedule, now: string): void {
  if (!isOnce) return;
  const row = { ...schedule, enabled: false, updated_at: now };
  tx.put('schedules', row);
  retimeActions(tx, now, row);
}
