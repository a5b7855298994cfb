/** The columns of the table. */
import { can } from '../../../api/can.ts';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/table.tsx';
import { fieldLabel } from '../../../i18n/field-labels.ts';
import { formWords } from '../../../i18n/form-words.ts';
import { words } from '../words.ts';
import { isStartable, statusOf } from './live-status.ts';
import { encodingText, outletText, sourceText, type Parts, type StreamRow } from './parts.ts';
import { StateCell, WhenCell, WhereCell } from './state-cell.tsx';

export interface RowActs {
  start: (row: StreamRow) => void;
  stop: (row: StreamRow) => void;
  open: (row: StreamRow) => void;
}

interface ColumnParts {
  parts: Parts;
  nextStarts: ReadonlyMap<number, string>;
  chosen: ReadonlySet<number>;
  onChoose: (id: number, isRange: boolean) => void;
  acts: RowActs;
}

export function columnsOf({ parts, nextStarts, chosen, onChoose, acts }: ColumnParts): Column<StreamRow>[] {
  const w = words.value;
  const choose: Column<StreamRow> = {
    id: 'choose',
    label: w.columns.choose,
    isMinor: true,
    cell: ({ id, name }) => (
      <label class="choose">
        <input
          type="checkbox"
          aria-label={w.choose(name)}
          checked={chosen.has(id)}
          onClick={({ shiftKey }) => onChoose(id, shiftKey)}
        />
      </label>
    ),
  };
  return [
    ...(can('start_livestream') ? [choose] : []),
    { id: 'name', label: w.columns.name, isHeader: true, cell: ({ name }) => name },
    { id: 'tags', label: fieldLabel('tags'), isMinor: true, cell: ({ tags }) => tags.join(', ') },
    { id: 'state', label: w.columns.state, cell: (row) => <StateCell row={row} /> },
    { id: 'source', label: w.columns.source, isMinor: true, cell: (row) => sourceText(parts, row) },
    { id: 'encoding', label: w.columns.encoding, isMinor: true, cell: (row) => encodingText(parts, row) },
    { id: 'destinations', label: w.columns.destinations, isMinor: true, cell: (row) => outletText(parts, row) },
    { id: 'where', label: w.columns.where, isMinor: true, cell: (row) => <WhereCell row={row} parts={parts} /> },
    {
      id: 'when',
      label: w.columns.when,
      isMinor: true,
      cell: (row) => <WhenCell row={row} next={nextStarts.get(row.id)} />,
    },
    { id: 'acts', label: formWords.value.acts, align: 'end', cell: (row) => <RowButtons row={row} acts={acts} /> },
  ];
}

function RowButtons({ row, acts }: { row: StreamRow; acts: RowActs }) {
  const f = formWords.value;
  return (
    <div class="acts row-acts">
      <StartOrStop row={row} acts={acts} />
      <Button kind="quiet" label={f.openOf(row.name)} onPress={() => acts.open(row)}>
        {f.open}
      </Button>
    </div>
  );
}

export function StartOrStop({ row, acts }: { row: StreamRow; acts: Pick<RowActs, 'start' | 'stop'> }) {
  const w = words.value;
  if (isStartable(statusOf(row)))
    return can('start_livestream') ? (
      <Button label={w.startOf(row.name)} keyHint="R" onPress={() => acts.start(row)}>
        {w.start}
      </Button>
    ) : null;
  return can('stop_livestream') ? (
    <Button kind="danger" label={w.stopOf(row.name)} keyHint="X" onPress={() => acts.stop(row)}>
      {w.stop}
    </Button>
  ) : null;
}
