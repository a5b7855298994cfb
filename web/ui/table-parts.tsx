/** The head cells and the rows of a Table. */
import type { ComponentChildren } from 'preact';
import { Icon } from './show/icon.tsx';

export interface Column<Row> {
  id: string;
  label: string;
  cell: (row: Row) => ComponentChildren;
  /** The server's name of the field to sort by; without it the column has no sort button. */
  sortBy?: string;
  align?: 'end';
  /** Hidden below 700 px; what it says must stand in the drawer too. */
  isMinor?: boolean;
  /** Names the row in place of the first column. */
  isHeader?: boolean;
}

/** The column of what can be done with a row. */
export const ACTS = 'acts';

export interface Sort {
  by: string;
  order: 'asc' | 'desc';
}

function classOf<Row>({ align, isMinor }: Column<Row>): string | undefined {
  return [align === 'end' && 'end', isMinor === true && 'minor'].filter(Boolean).join(' ') || undefined;
}

interface HeadProps<Row> {
  column: Column<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
  /** Stands behind the label. */
  children?: ComponentChildren;
}

export function Head<Row>({ column, sort, onSort, children }: HeadProps<Row>) {
  const { sortBy, label } = column;
  if (sortBy === undefined || onSort === undefined)
    return (
      <th scope="col" role="columnheader" class={classOf(column)}>
        {label} {children}
      </th>
    );
  const order = sort?.by === sortBy ? sort.order : undefined;
  const choose = (): void => onSort({ by: sortBy, order: order === 'asc' ? 'desc' : 'asc' });
  const sorted = order === undefined ? undefined : order === 'asc' ? 'ascending' : 'descending';
  return (
    <th scope="col" role="columnheader" class={classOf(column)} aria-sort={sorted}>
      <button type="button" class="sort" onClick={choose}>
        {label} {order !== undefined && <Icon name={order === 'asc' ? 'chevron-up' : 'chevron-down'} />}
      </button>
    </th>
  );
}

interface RowProps<Row> {
  row: Row;
  id: number | string;
  columns: readonly Column<Row>[];
  isFirst: boolean;
  isChosen: boolean;
  onOpen: ((row: Row) => void) | undefined;
}

export function TableRow<Row>({ row, id, columns, isFirst, isChosen, onOpen }: RowProps<Row>) {
  const open = (event: MouseEvent): void => {
    const isControl =
      event.target instanceof Element && event.target.closest('button, a, input, select, label, summary') !== null;
    if (!isControl && getSelection()?.type !== 'Range') onOpen?.(row);
  };
  const header = Math.max(
    0,
    columns.findIndex(({ isHeader }) => isHeader),
  );
  return (
    <tr
      role="row"
      data-row={id}
      tabIndex={isFirst || isChosen ? 0 : -1}
      aria-current={isChosen || undefined}
      class={onOpen === undefined ? undefined : 'opens'}
      onClick={open}
    >
      {columns.map((column, place) =>
        place === header ? (
          <th key={column.id} scope="row" role="rowheader" class={classOf(column)}>
            {column.cell(row)}
          </th>
        ) : (
          <td
            key={column.id}
            class={classOf(column)}
            role="cell"
            data-label={column.id === ACTS ? undefined : column.label}
          >
            {column.cell(row)}
          </td>
        ),
      )}
    </tr>
  );
}
