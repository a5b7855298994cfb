/** A table of one thing a row: rows are walked by arrows, sorted by the server, and the first column names the row. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { Button } from './button.tsx';
import { useKeys, type Keys } from './registry/keys.ts';
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
}

export interface Sort {
  by: string;
  order: 'asc' | 'desc';
}

interface TableProps<Row> {
  /** The name of the table. */
  label: string;
  /** The first names the row: it is its header. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => number | string;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
  /** Enter and a click on the row. */
  onOpen?: (row: Row) => void;
  /** Further keys of the focused row, with what they do in words. */
  rowKeys?: Record<string, { does: string; act: (row: Row) => void }>;
  chosen?: number | string | undefined;
  /** There is more: the button "Show more" asks for it. */
  onMore?: (() => void) | undefined;
  isMoreBusy?: boolean;
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, idOf, sort, onOpen, rowKeys = {}, onMore } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const w = words.value.ui;
  const rowOf = (event: KeyboardEvent): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
  const atRow = (act: (row: Row) => void) => (event: KeyboardEvent) => {
    const id = rowOf(event)?.dataset['row'];
    const row = rows.find((each) => String(idOf(each)) === id);
    if (row !== undefined) act(row);
  };
  const move = (by: number) => (event: KeyboardEvent) => {
    const all = [...(body.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const row = rowOf(event);
    const at = row === null ? -1 : all.indexOf(row);
    all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
  };
  const keys: Keys = {
    ArrowDown: { does: w.moveRows, act: move(1) },
    ArrowUp: { does: w.moveRows, act: move(-1), isListed: false },
    Home: { does: w.moveRows, act: move(-Infinity), isListed: false },
    End: { does: w.moveRows, act: move(Infinity), isListed: false },
    ...(onOpen !== undefined && { Enter: { does: w.open, act: atRow(onOpen) } }),
    ...Object.fromEntries(Object.entries(rowKeys).map(([key, { does, act }]) => [key, { does, act: atRow(act) }])),
  };
  useKeys(body, w.inTable(label), keys);
  return (
    <>
      <div class="table-scroll" role="group" aria-label={label} tabIndex={0}>
        <table aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={sort} onSort={props.onSort} />
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.map((row, place) => (
              <TableRow
                key={idOf(row)}
                {...{ row, columns, onOpen }}
                id={idOf(row)}
                isFirst={place === 0}
                isChosen={idOf(row) === props.chosen}
              />
            ))}
          </tbody>
        </table>
      </div>
      {onMore !== undefined && (
        <p class="table-more">
          <Button busy={props.isMoreBusy === true && w.busy} onPress={onMore}>
            {w.more}
          </Button>
        </p>
      )}
    </>
  );
}

function classOf<Row>({ align, isMinor }: Column<Row>): string | undefined {
  return [align === 'end' && 'end', isMinor === true && 'minor'].filter(Boolean).join(' ') || undefined;
}

interface HeadProps<Row> {
  column: Column<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { sortBy, label } = column;
  if (sortBy === undefined || onSort === undefined)
    return (
      <th scope="col" class={classOf(column)}>
        {label}
      </th>
    );
  const order = sort?.by === sortBy ? sort.order : undefined;
  const choose = (): void => onSort({ by: sortBy, order: order === 'asc' ? 'desc' : 'asc' });
  const sorted = order === undefined ? undefined : order === 'asc' ? 'ascending' : 'descending';
  return (
    <th scope="col" class={classOf(column)} aria-sort={sorted}>
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

function TableRow<Row>({ row, id, columns, isFirst, isChosen, onOpen }: RowProps<Row>) {
  const open = (event: MouseEvent): void => {
    const isControl =
      event.target instanceof Element && event.target.closest('button, a, input, select, label') !== null;
    if (!isControl && getSelection()?.type !== 'Range') onOpen?.(row);
  };
  return (
    <tr
      data-row={id}
      tabIndex={isFirst || isChosen ? 0 : -1}
      aria-current={isChosen || undefined}
      class={onOpen === undefined ? undefined : 'opens'}
      onClick={open}
    >
      {columns.map((column, place) =>
        place === 0 ? (
          <th key={column.id} scope="row" class={classOf(column)}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.id} class={classOf(column)}>
            {column.cell(row)}
          </td>
        ),
      )}
    </tr>
  );
}
