/** All Recordings: filters, when each stream was recorded, the table. */
import { useEffect } from 'preact/hooks';
import type { RowOf } from '../../../api/operation-types.ts';
import { useList } from '../../../api/reads.ts';
import { moment } from '../../../live/clock.ts';
import { hrefOf } from '../../../route.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Empty } from '../../../ui/show/empty.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { durationText } from '../../../zone.ts';
import { words } from '../words.ts';
import { FilterBar } from './filter-bar.tsx';
import { isFiltered, question, sort } from './filters.ts';
import { StateOf } from './state-of.tsx';
import { StreamLines } from './stream-lines.tsx';
import { sizeText } from '../../../ui/show/size-text.ts';

/** The list is asked for whole rows: no member is left out. */
export type RecordingRow = Required<RowOf<'getRecordings'>>;

function open({ id }: { id: number }): void {
  location.hash = hrefOf('recordings', id);
}

function columns(): Column<RecordingRow>[] {
  const w = words.value;
  const c = w.columns;
  return [
    { id: 'name', label: c.name, sortBy: 'name', cell: ({ name }) => name },
    { id: 'stream', label: c.stream, isMinor: true, cell: ({ livestream_name }) => livestream_name },
    {
      id: 'begun',
      label: c.begun,
      sortBy: 'started_at',
      isMinor: true,
      cell: ({ started_at }) => <Time at={started_at} />,
    },
    {
      id: 'length',
      label: c.length,
      align: 'end',
      cell: ({ duration_seconds }) => durationText(duration_seconds),
    },
    { id: 'size', label: c.size, align: 'end', isMinor: true, cell: ({ size_bytes }) => sizeText(size_bytes) },
    { id: 'state', label: c.state, cell: ({ status }) => <StateOf status={status} /> },
    {
      id: 'acts',
      label: w.open,
      cell: (row) => (
        <Button kind="quiet" icon="play" label={w.openOne(row.name)} onPress={() => open(row)}>
          {w.open}
        </Button>
      ),
    },
  ];
}

export function RecordingList() {
  const w = words.value;
  const found = useList('getRecordings', question.value);
  const rows = found.rows as readonly RecordingRow[];
  const isThere = !found.isLoading;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  return (
    <>
      <FilterBar />
      <ProblemAlert problem={found.error} />
      {found.isLoading && rows.length === 0 ? (
        <Outline rows={8} />
      ) : rows.length === 0 ? (
        <Empty text={isFiltered.value ? w.noMatch : w.empty} />
      ) : (
        <>
          <StreamLines rows={rows} now={moment.peek()} onOpen={(id) => open({ id })} />
          <p class="soft recordings-count">{w.count(rows.length, found.total ?? rows.length)}</p>
          <Table
            label={w.title}
            columns={columns()}
            rows={rows}
            idOf={({ id }) => id}
            sort={sort.value}
            onSort={(next) => (sort.value = next)}
            onOpen={open}
            onMore={found.hasMore ? found.more : undefined}
            isMoreBusy={found.isLoading}
          />
        </>
      )}
    </>
  );
}
