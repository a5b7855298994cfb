/** The page Events: what was wrong with any Live stream, from when until when. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useList } from '../../api/reads.ts';
import { words as common } from '../../i18n/words.ts';
import type { StreamEvent } from '../../live/feed.ts';
import { recentEvents, viewOf } from '../../live/streams.ts';
import { route } from '../../route.ts';
import { shownZone } from '../../shown-zone.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Empty } from '../../ui/show/empty.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Table } from '../../ui/table.tsx';
import { columns } from './columns.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filterFrom, isWanted, paramsOf } from './filter.ts';
import { incidentsOf } from './pairs.ts';
import { words } from './words.ts';

const PAGE_ROWS = 500;

export default function Events() {
  const { query } = route.value;
  const filter = useSignal(filterFrom(query));
  const queryText = JSON.stringify(query);
  useEffect(() => {
    if (Object.keys(query).length > 0) filter.value = filterFrom(query);
  }, [queryText]);
  const zone = shownZone.value;
  const list = useList('getAllEvents', { params: paramsOf(filter.value, zone), pageSize: PAGE_ROWS });
  const streams = useList('getAllLivestreams', { params: { fields: 'id,name' }, sort: 'name', pageSize: 500 }).rows;
  const isThere = list.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  const events = [...(list.rows as StreamEvent[]), ...(isThere ? recentEvents.value : [])];
  const known = new Map(events.map((event) => [event.id, event]));
  const incidents = incidentsOf([...known.values()]).filter((incident) => isWanted(filter.value, incident, zone));
  const names = new Map(streams.map(({ id, name }) => [id, name]));
  const nameOf = (id: number | null): string =>
    id === null ? words.value.noStream : (viewOf(id)?.status.value.name ?? names.get(id) ?? `${id}`);
  const w = words.value;
  return (
    <>
      <h1>{w.title}</h1>
      <p class="soft">{w.about}</p>
      <FilterBar filter={filter.value} streams={streams} onFilter={(next) => (filter.value = next)} />
      <p role="status" aria-label={common.value.ui.count} class="soft">
        {isThere && w.read(incidents.length, list.rows.length, list.total ?? 0)}
      </p>
      <ProblemAlert problem={list.error} />
      {list.isLoading && !isThere && <Outline rows={8} />}
      {isThere && incidents.length === 0 && <Empty text={w.none} />}
      {isThere && (incidents.length > 0 || list.hasMore) && (
        <div class="incidents">
          <Table
            label={w.title}
            rows={incidents}
            idOf={({ id }) => id}
            columns={columns(nameOf)}
            onMore={list.hasMore ? list.more : undefined}
            isMoreBusy={list.isLoading}
          />
        </div>
      )}
    </>
  );
}
