/** The page Audit: who changed what, when, by which API and with which outcome. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useList } from '../../api/reads.ts';
import { words as common } from '../../i18n/words.ts';
import { route } from '../../route.ts';
import { shownZone } from '../../shown-zone.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Empty } from '../../ui/show/empty.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Table } from '../../ui/table.tsx';
import { columns } from './columns.tsx';
import { filterFrom, paramsOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { words } from './words.ts';

/** Typing goes on while the audit of a year is searched. */
const SETTLE_MS = 300;

export default function Audit() {
  const filter = useSignal(filterFrom(route.value.query));
  const settled = useSignal(filter.value);
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = filter.value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [filter.value]);
  // A link of a problem leads here also while the page is open.
  const { query } = route.value;
  const queryText = JSON.stringify(query);
  useEffect(() => {
    if (Object.keys(query).length === 0) return;
    filter.value = filterFrom(query);
    settled.value = filter.value;
  }, [queryText]);
  const list = useList('getAuditLog', { params: paramsOf(settled.value, shownZone.value) });
  const w = words.value;
  const isThere = list.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  return (
    <>
      <h1>{w.title}</h1>
      <p class="soft">{w.about}</p>
      <FilterBar filter={filter.value} onFilter={(next) => (filter.value = next)} />
      <p role="status" aria-label={common.value.ui.count} class="soft">
        {isThere && common.value.ui.countOf(list.rows.length, list.total ?? 0)}
      </p>
      <ProblemAlert problem={list.error} />
      {list.isLoading && !isThere && <Outline rows={8} />}
      {isThere && list.rows.length === 0 && <Empty text={w.none} />}
      {list.rows.length > 0 && (
        <Table
          label={w.title}
          rows={list.rows}
          idOf={({ id }) => id}
          columns={columns()}
          onMore={list.hasMore ? list.more : undefined}
        />
      )}
    </>
  );
}
