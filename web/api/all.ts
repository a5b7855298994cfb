/** All rows of a list, page by page: for lists that are filtered in the browser because their state lives in the feed. */
import { useEffect } from 'preact/hooks';
import type { FiltersOf, ListOperation } from './operation-types.ts';
import { useList, type List } from './reads.ts';

/** The server's largest page. */
const PAGE_ROWS = 500;

export function useAll<O extends ListOperation>(operation: O, params?: FiltersOf<O>, sort?: string): List<RowsOf<O>> {
  const list = useList(operation, { params, sort, pageSize: PAGE_ROWS });
  const { hasMore, more } = list;
  useEffect(() => {
    if (hasMore) more();
  }, [list.rows.length, hasMore]);
  return list;
}

type RowsOf<O extends ListOperation> = ReturnType<typeof useList<O>>['rows'][number];
