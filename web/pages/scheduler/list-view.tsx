/** The occurrences as a table, for phones and for readers of screens. */
import { Empty } from '../../ui/show/empty.tsx';
import { Time } from '../../ui/show/time.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import type { Occurrence } from './data.ts';
import { words } from './words.ts';

interface ListViewProps {
  rows: readonly Occurrence[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

function columns(): Column<Occurrence>[] {
  const w = words.value;
  const c = w.columns;
  return [
    { id: 'name', label: c.name, cell: ({ name }) => name },
    { id: 'stream', label: c.stream, cell: ({ stream }) => stream },
    { id: 'start', label: c.start, cell: ({ start }) => <Time at={start} /> },
    { id: 'end', label: c.end, cell: ({ end }) => <Time at={end} />, isMinor: true },
    {
      id: 'state',
      label: c.state,
      cell: ({ state }) => (
        <span class="occurrence-state" data-occurrence={state}>
          {w.states[state]}
        </span>
      ),
    },
  ];
}

export function ListView({ rows, chosen, onChoose }: ListViewProps) {
  const w = words.value;
  if (rows.length === 0) return <Empty text={w.empty} />;
  return (
    <Table
      label={w.table}
      columns={columns()}
      rows={rows}
      idOf={({ id }) => id}
      chosen={chosen}
      onOpen={({ id }) => onChoose(id)}
    />
  );
}
