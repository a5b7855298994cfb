/** The view List: a row for each occurrence. */
import { Time } from '../../../ui/show/time.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { StateOf } from '../data/looks.tsx';
import type { OccurrenceRow } from '../data/occurrences.ts';
import { chosen } from '../data/state.ts';
import { words } from '../words.ts';

function columns(): Column<OccurrenceRow>[] {
  const c = words.value.columns;
  return [
    {
      id: 'name',
      label: c.name,
      cell: (row) => (
        <button type="button" class="link" onClick={() => choose(row)}>
          {row.name}
        </button>
      ),
    },
    { id: 'stream', label: c.stream, cell: ({ stream }) => stream },
    { id: 'start', label: c.start, cell: ({ start }) => <Time at={start} /> },
    { id: 'end', label: c.end, isMinor: true, cell: ({ end }) => <Time at={end} /> },
    { id: 'state', label: c.state, cell: ({ state }) => <StateOf state={state} /> },
  ];
}

function choose(row: OccurrenceRow): void {
  chosen.value = { scheduleId: row.scheduleId, occurrence: row };
}

export function OccurrenceTable({ rows }: { rows: readonly OccurrenceRow[] }) {
  const at = chosen.value?.occurrence?.key;
  return (
    <Table
      label={words.value.occurrences}
      columns={columns()}
      rows={rows}
      idOf={({ key }) => key}
      chosen={rows.some(({ key }) => key === at) ? at : undefined}
      onOpen={choose}
    />
  );
}
