/** A table of one thing a row: rows are walked by arrows, sorted by the server, and the first column names the row. */
import { useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { Button } from './button.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { isHidden } from './registry/hidden-columns.ts';
import { useKeys, type Keys } from './registry/keys.ts';
import { ACTS, Head, TableRow, type Column, type Sort } from './table-parts.tsx';

export type { Column, Sort };

interface TableProps<Row> {
  /** The name of the table. */
  label: string;
  /** Under it the browser remembers which columns are shown; left out: all are. */
  name?: string;
  /** The first names the row, unless another is its header. */
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

/** Without the first, or the header of the rows, nobody knows which row is which. */
function isOptional<Row>({ id, isHeader, label }: Column<Row>, place: number): boolean {
  return place > 0 && isHeader !== true && id !== ACTS && label !== '';
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, name, rows, idOf, sort, onOpen, rowKeys = {}, onMore } = props;
  const optional = name === undefined ? [] : props.columns.filter(isOptional);
  const columns = props.columns.filter(
    (column) => name === undefined || !optional.includes(column) || !isHidden(name, column.id),
  );
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
        <table role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={sort} onSort={props.onSort}>
                  {name !== undefined && column.id === ACTS && <ColumnMenu table={name} columns={optional} />}
                </Head>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup" ref={body}>
            {rows.map((row, place) => (
              <TableRow
                key={idOf(row)}
                row={row}
                columns={columns}
                onOpen={onOpen}
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
