/** Occurrences of a window with the names that belong to them, and the actions that are planned in it. */
import { useAll } from '../../api/all.ts';
import type { RowOf } from '../../api/operation-types.ts';

export type Schedule = Required<RowOf<'getAllSchedules'>>;
export type State = RowOf<'getScheduleOccurrences'>['state'];

export interface Occurrence {
  /** Unique: the Schedule and the instant of the start. */
  id: string;
  scheduleId: number;
  livestreamId: number;
  /** Milliseconds since 1970. */
  start: number;
  end: number;
  state: State;
  name: string;
  stream: string;
}

export interface PlannedAction {
  id: number;
  livestreamId: number;
  type: string;
  at: number;
}

export interface Plan {
  isThere: boolean;
  error: Error | null;
  occurrences: readonly Occurrence[];
  schedules: ReadonlyMap<number, Schedule>;
  /** Names of all Live streams, by id. */
  streams: ReadonlyMap<number, string>;
  actions: readonly PlannedAction[];
}

export function usePlan(from: number, to: number): Plan {
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const found = useAll('getScheduleOccurrences', range, 'start');
  const schedules = useAll('getAllSchedules');
  const streams = useAll('getAllLivestreams', { fields: 'id,name' });
  const planned = useAll('getAllPlannedActions', { status: 'pending' });
  const byId = new Map(schedules.rows.map((row) => [row.id!, row as Schedule]));
  const names = new Map(streams.rows.map(({ id, name }) => [id!, name ?? '']));
  return {
    isThere: [found, schedules, streams].every(({ isLoading, rows }) => !isLoading || rows.length > 0),
    error: found.error ?? schedules.error,
    schedules: byId,
    streams: names,
    occurrences: found.rows.map((row) => ({
      id: `${row.scheduleId} ${row.start}`,
      scheduleId: row.scheduleId!,
      livestreamId: row.livestreamId!,
      start: Date.parse(row.start!),
      end: Date.parse(row.end!),
      state: row.state!,
      name: byId.get(row.scheduleId!)?.name ?? `#${row.scheduleId}`,
      stream: names.get(row.livestreamId!) ?? `#${row.livestreamId}`,
    })),
    actions: planned.rows
      .map((row) => ({
        id: row.id!,
        livestreamId: row.livestreamId!,
        type: row.type!,
        at: Date.parse(row.execute_at!),
      }))
      .filter(({ at }) => at >= from && at < to),
  };
}
