/** The description of a resource, from which its page is made. */
import type { ComponentChildren } from 'preact';
import type { ListOperation, RowOf } from '../api/operation-types.ts';
import type { FormOperation } from '../gen/forms.ts';
import type { OperationId } from '../../client/request.ts';
import type { PageName } from '../route.ts';
import type { Column } from '../ui/table.tsx';
import type { ResourceLayout } from './pickers.ts';

export interface ResourceWords {
  /** The name of the table: that of the page or of its tab. */
  table: string;
  /** The button and its dialog: `New Source`. */
  add: string;
  /** One sentence for an empty list. */
  empty: string;
}

export interface Resource<L extends ListOperation> {
  list: L;
  /** Reads a row with its ETag; without it the row of the list is all there is. */
  one?: OperationId;
  add?: FormOperation;
  update?: FormOperation;
  remove?: OperationId;
  /** The path's parameter that carries the row's id. */
  idParam?: string;
  /** The parameters of `one`, `update` and `remove`, if the id alone does not name a row. */
  paramsOf?: (row: RowOf<L>) => Readonly<Record<string, unknown>>;
  idOf?: (row: RowOf<L>) => number | string;
  nameOf: (row: RowOf<L>) => string;
  words: () => ResourceWords;
  /** The first is the row's header. */
  columns: () => readonly Column<RowOf<L>>[];
  /** Its page, where a route names the row whose drawer is open: `#/sources/2`. It needs `one`. */
  page?: PageName;
  /** The content of the drawer that "Open «name»" shows. */
  drawer?: (row: RowOf<L>, etag: string | undefined) => ComponentChildren;
  /** Further buttons of a row, before Edit and Delete. */
  acts?: (row: RowOf<L>) => ComponentChildren;
  /** Tells what else ends when it is deleted. */
  deleteEffect?: (row: RowOf<L>) => string | undefined;
  layout?: ResourceLayout;
  /** The layout of the form of a new row, where it is another. */
  addLayout?: ResourceLayout;
  sort?: { by: string; order: 'asc' | 'desc' };
}

export function defineResource<L extends ListOperation>(resource: Resource<L>): Resource<L> {
  return resource;
}

export function rowId<L extends ListOperation>(resource: Resource<L>, row: RowOf<L>): number | string {
  return resource.idOf?.(row) ?? (row as { id: number }).id;
}

export function rowParams<L extends ListOperation>(
  resource: Resource<L>,
  row: RowOf<L>,
): Readonly<Record<string, unknown>> {
  return resource.paramsOf?.(row) ?? { [resource.idParam ?? 'id']: rowId(resource, row) };
}
