/** Whole lists of three weeks, asked again when the feed says that they changed. */
import { call } from '../../api/call.ts';
import type { FiltersOf, ListOperation, ParamsOf, RowOf } from '../../api/operation-types.ts';
import { useQuery, type Answer } from '../../api/query.ts';
import { can } from '../../api/can.ts';
import { OPERATIONS } from '../../gen/operations.ts';
import { resourceOf } from '../../api/resources.ts';
import type { Span } from '../../ui/timeline/layout.ts';

export type State = RowOf<'getScheduleOccurrences'>['state'];

export interface Occurrence extends Span {
  scheduleId: number;
  livestreamId: number;
  schedule: string;
  stream: string;
  state: State;
}

const PAGE_ROWS = 500;

/** All rows of a list. */
export function useAll<O extends ListOperation>(
  operation: O,
  params: FiltersOf<O>,
  everyMs?: number,
): Answer<RowOf<O>[]> {
  return useQuery<RowOf<O>[]>(
    [resourceOf(OPERATIONS[operation].path), operation, 'all', params],
    async (signal) => {
      const page = async (number: number): Promise<{ rows: RowOf<O>[]; pagination: { total: number } }> => {
        const question = { ...params, pageSize: PAGE_ROWS, page: number } as unknown as ParamsOf<O>;
        return (await call(operation, { params: question, signal })).body as never;
      };
      const first = await page(1);
      const others = Array.from({ length: Math.ceil(first.pagination.total / PAGE_ROWS) - 1 }, (_, at) => page(at + 2));
      return [first, ...(await Promise.all(others))].flatMap(({ rows }) => rows);
    },
    { isWanted: can(operation), keepsPrevious: true, ...(everyMs !== undefined && { everyMs }) },
  );
}

/** The occurrences with the names of their Schedules and Live streams. */
export function occurrencesOf(
  rows: readonly RowOf<'getScheduleOccurrences'>[],
  names: { schedules: ReadonlyMap<number, string>; streams: ReadonlyMap<number, string> },
): Occurrence[] {
  return rows.map(({ scheduleId, livestreamId, start, end, state }) => ({
    id: `${scheduleId} ${start}`,
    scheduleId,
    livestreamId,
    start: Date.parse(start),
    end: Date.parse(end),
    schedule: names.schedules.get(scheduleId) ?? `${scheduleId}`,
    stream: names.streams.get(livestreamId) ?? `${livestreamId}`,
    state,
  }));
}
