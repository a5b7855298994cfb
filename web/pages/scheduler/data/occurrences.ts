/** The occurrences of the loaded weeks, with the names of their Schedules and Live streams. */
import { useAll } from '../../../api/all.ts';
import type { RowOf } from '../../../api/operation-types.ts';

export type ScheduleRow = Required<RowOf<'getAllSchedules'>>;

export interface OccurrenceRow {
  key: string;
  scheduleId: number;
  livestreamId: number;
  /** Of the Schedule; its number where it is deleted. */
  name: string;
  stream: string;
  startMs: number;
  endMs: number;
  start: string;
  end: string;
  state: 'planned' | 'on_air' | 'done' | 'skipped' | 'missed' | 'failed';
  /** Of a series. */
  isOneOf: boolean;
}

/** Named, and bound to a place. */
export interface StreamRow {
  id: number;
  name: string;
  deviceId?: number | null;
  idEncoderGroup?: number | null;
}

export interface Plan {
  occurrences: readonly OccurrenceRow[];
  schedules: ReadonlyMap<number, ScheduleRow>;
  streams: readonly StreamRow[];
  error: Error | null;
  isLoading: boolean;
}

/** `from` and `to` in milliseconds since 1970. */
export function usePlan({ from, to }: { from: number; to: number }): Plan {
  const found = useAll('getScheduleOccurrences', {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  const schedules = useAll('getAllSchedules');
  const streams = useAll('getAllLivestreams', { fields: 'id,name,deviceId,idEncoderGroup' }, 'name');
  const scheduleOf = new Map((schedules.rows as readonly ScheduleRow[]).map((row) => [row.id, row]));
  const streamRows = streams.rows as readonly StreamRow[];
  const names = new Map(streamRows.map(({ id, name }) => [id, name]));
  const rows = found.rows as readonly Omit<
    OccurrenceRow,
    'key' | 'name' | 'stream' | 'startMs' | 'endMs' | 'isOneOf'
  >[];
  return {
    occurrences: rows.map((row) => {
      const schedule = scheduleOf.get(row.scheduleId);
      return {
        ...row,
        key: `${row.scheduleId} ${row.start}`,
        name: schedule?.name ?? `#${row.scheduleId}`,
        stream: names.get(row.livestreamId) ?? `#${row.livestreamId}`,
        startMs: Date.parse(row.start),
        endMs: Date.parse(row.end),
        isOneOf: schedule !== undefined && schedule.recurrence.type !== 'none',
      };
    }),
    schedules: scheduleOf,
    streams: streamRows,
    error: found.error ?? schedules.error ?? streams.error,
    isLoading: found.isLoading || schedules.isLoading || streams.isLoading,
  };
}
