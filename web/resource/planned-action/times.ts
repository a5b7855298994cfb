/** The times of planned actions: one of each that is done once, and those at the occurrences of a Schedule within the window asked for. */
import type { RowOf } from '../../api/operation-types.ts';

export type PlannedRow = RowOf<'getAllPlannedActions'>;

/** An action at one of its times. */
export interface PlannedTime extends Omit<PlannedRow, 'execute_at' | 'runs'> {
  /** One for each time. */
  key: string;
  execute_at: string;
}

export function timesOf(rows: readonly PlannedRow[]): PlannedTime[] {
  return rows.flatMap(({ runs, execute_at, ...row }): PlannedTime[] => {
    if (row.scheduleId != null && runs !== undefined)
      return runs.map((run) => ({ ...row, ...run, key: `${row.id} ${run.execute_at}` }));
    return execute_at == null ? [] : [{ ...row, execute_at, key: String(row.id) }];
  });
}
