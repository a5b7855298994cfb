/** The Destinations that record: where their Recordings are backed up to, and when they are deleted. */
import { useEffect } from 'preact/hooks';
import type { RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { hrefOf } from '../../route.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Empty } from '../../ui/show/empty.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Table } from '../../ui/table.tsx';
import { words } from './words.ts';

type Publishing = RowOf<'getAllPublishings'>;

/** A Destination of another type has neither. */
function settingsOf({ settings }: Publishing): { remotefolder?: number | null; delete_after?: number | null } {
  return settings;
}

export function Retention() {
  const w = words.value.recordings;
  const recording = useList('getAllPublishings', { params: { type: 'Record' }, sort: 'name' });
  const folders = useList('getAllRemoteFolders', { sort: 'name', pageSize: 500 });
  const isThere = recording.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  const backupOf = (row: Publishing): string => {
    const { remotefolder: id } = settingsOf(row);
    if (id === null || id === undefined) return w.noBackup;
    return folders.rows.find((folder) => folder.id === id)?.name ?? w.folder(id);
  };
  const endOf = (row: Publishing): string => {
    const { delete_after: days } = settingsOf(row);
    return days === null || days === undefined ? w.never : w.days(days);
  };
  return (
    <>
      <p class="soft">
        {w.about} <a href={hrefOf('destinations')}>{w.toDestinations}</a>
      </p>
      <ProblemAlert problem={recording.error} />
      {recording.isLoading && !isThere && <Outline rows={3} />}
      {recording.total === 0 && <Empty text={w.empty} />}
      {recording.rows.length > 0 && (
        <Table
          label={words.value.tabs.recordings}
          rows={recording.rows}
          idOf={({ id }) => id}
          columns={[
            { id: 'name', label: w.destination, cell: ({ name }) => name },
            { id: 'backup', label: w.backup, cell: backupOf },
            { id: 'end', label: w.deletedAfter, cell: endOf },
          ]}
          onMore={recording.hasMore ? recording.more : undefined}
        />
      )}
    </>
  );
}
