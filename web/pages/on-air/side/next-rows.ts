/** The next six hours: starts and ends of Schedules, and planned actions, in the order of their time. */
import type { RowOf } from '../../../api/operation-types.ts';
import { timesOf, type PlannedRow, type PlannedTime } from '../../../resource/planned-action/times.ts';

export interface NextRow {
  key: string;
  at: number;
  livestreamId: number;
  kind: 'start' | 'end' | 'action';
  scheduleId?: number;
  /** ISO 8601, of the occurrence. */
  start?: string;
  action?: PlannedTime;
}

export const WINDOW_MS = 6 * 3_600_000;

export function nextRows(
  occurrences: readonly RowOf<'getScheduleOccurrences'>[],
  actions: readonly PlannedRow[],
  now: number,
): NextRow[] {
  const rows: NextRow[] = [];
  for (const { scheduleId, livestreamId, start, end, state } of occurrences) {
    const key = `${scheduleId} ${start}`;
    if (state === 'planned')
      rows.push({ key: `start ${key}`, at: Date.parse(start), livestreamId, kind: 'start', scheduleId, start });
    if (state === 'on_air')
      rows.push({ key: `end ${key}`, at: Date.parse(end), livestreamId, kind: 'end', scheduleId, start });
  }
  for (const action of timesOf(actions))
    if (action.status === 'pending' || action.status === 'disabled')
      rows.push({
        key: `action ${action.key}`,
        at: Date.parse(action.execute_at),
        livestreamId: action.livestreamId,
        kind: 'action',
        action,
      });
  return rows
    .filter(({ at }) => at >= now - 1000 && at <= now + WINDOW_MS)
    .sort((one, other) => one.at - other.at || one.key.localeCompare(other.key));
}
