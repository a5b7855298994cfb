/** Reads of one row and of lists, asked again when their resource changes. */
import { useSignal } from '@preact/signals';
import { OPERATIONS, type OperationId } from '../../client/request.ts';
import { call, dataIn } from './call.ts';
import { can } from './can.ts';
import type { DataOf, FiltersOf, ListOperation, ParamsOf, RowOf } from './operation-types.ts';
import { useQuery } from './query.ts';
import { resourceOf } from './resources.ts';

export interface One<D> {
  data: D | undefined;
  /** Names the version of `data` for `save()`. */
  etag: string | undefined;
  error: Error | null;
  isLoading: boolean;
  /** It is asked again: `data` may be a version behind. */
  isAsking: boolean;
}

/** Asks nothing for params of undefined, and nothing that the role may not read. */
export function useOne<O extends OperationId>(operation: O, params: ParamsOf<O> | undefined): One<DataOf<O>> {
  const isWanted = params !== undefined && can(operation);
  const { data, error, isLoading, isAsking } = useQuery(
    [resourceOf(OPERATIONS[operation].path), operation, params ?? null],
    async (signal) => {
      const { body, etag } = await call(operation, { params, signal });
      return { data: dataIn(body) as DataOf<O>, etag };
    },
    { isWanted },
  );
  return { data: data?.data, etag: data?.etag, error, isLoading: isWanted && isLoading, isAsking };
}

export interface List<R> {
  rows: readonly R[];
  /** How many there are on the server; undefined until it has said so. */
  total: number | undefined;
  hasMore: boolean;
  more(): void;
  error: Error | null;
  isLoading: boolean;
}

export interface ListQuestion<O extends ListOperation> {
  params?: FiltersOf<O> | undefined;
  search?: string | undefined;
  /** A field, with `-` before it for the last first. */
  sort?: string | undefined;
  pageSize?: number;
  isWanted?: boolean;
  /** Asked again and again, where no `changed` of the feed tells that the answer is another one. */
  everyMs?: number;
}

interface Page {
  rows: unknown[];
  pagination: { total: number };
}

const PAGE_ROWS = 100;

export function useList<O extends ListOperation>(operation: O, question: ListQuestion<O> = {}): List<RowOf<O>> {
  const { params, search, sort, pageSize = PAGE_ROWS, everyMs } = question;
  const isWanted = question.isWanted !== false && can(operation);
  const query = { ...params, ...(search && { search }), ...(sort && { sort }), pageSize };
  const name = JSON.stringify(query);
  // Another question begins with its first page.
  const pages = useSignal({ name, count: 1 });
  const count = pages.value.name === name ? pages.value.count : 1;
  const { data, error, isLoading } = useQuery(
    [resourceOf(OPERATIONS[operation].path), operation, query, count],
    async (signal) => {
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      const answers = await Promise.all(
        numbers.map((page) => call(operation, { params: { ...query, page } as unknown as ParamsOf<O>, signal })),
      );
      const found = answers.map(({ body }) => body as Page);
      return { rows: found.flatMap(({ rows }) => rows), total: found[0]!.pagination.total };
    },
    { isWanted, keepsPrevious: true, ...(everyMs !== undefined && { everyMs }) },
  );
  const rows = (data?.rows ?? []) as RowOf<O>[];
  return {
    rows,
    total: data?.total,
    hasMore: data !== undefined && rows.length < data.total,
    more: () => {
      pages.value = { name, count: count + 1 };
    },
    error,
    isLoading: isWanted && isLoading,
  };
}
