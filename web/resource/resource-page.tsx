/** A list of a resource with search, sort and "Show more" by the server; a drawer; dialogs to add, edit and delete. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { can } from '../api/can.ts';
import type { FiltersOf, ListOperation, RowOf } from '../api/operation-types.ts';
import { useList } from '../api/reads.ts';
import { words } from '../i18n/words.ts';
import { hrefOf, route } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Empty } from '../ui/show/empty.tsx';
import { Outline } from '../ui/show/outline.tsx';
import { Table, type Sort } from '../ui/table.tsx';
import { rowId, type Resource } from './resource.ts';
import { columnsWith, type Open } from './resource-columns.tsx';
import { AddDialog, EditDialog, LinkedDrawer, RemoveDialog, RowDrawer } from './row-views.tsx';

export { defineResource } from './resource.ts';

interface ResourcePageProps<L extends ListOperation> {
  of: Resource<L>;
  /** Filters that go with the list. */
  params?: FiltersOf<L>;
  /** False: without a row there is none at all, although `params` filter. */
  isFiltered?: boolean;
  /** More controls beside the search. */
  bar?: ComponentChildren;
  /** First values of a new row. */
  seed?: Readonly<Record<string, unknown>>;
}

export function ResourcePage<L extends ListOperation>(props: ResourcePageProps<L>) {
  const { of: resource, params, bar, seed, isFiltered = params !== undefined } = props;
  const search = useSignal('');
  const sort = useSignal<Sort | undefined>(resource.sort);
  const open = useSignal<Open<RowOf<L>> | undefined>(undefined);
  const { linked, chosen, show } = useShown(resource);
  const order = sort.value;
  const list = useList(resource.list, {
    params,
    search: search.value,
    sort: order && `${order.order === 'desc' ? '-' : ''}${order.by}`,
  });
  const w = resource.words();
  const isThere = list.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  const close = (): void => {
    open.value = undefined;
  };
  const adding = resource.add !== undefined && can(resource.add) && (
    <Button kind="main" icon="plus" onPress={() => (open.value = { kind: 'add' })}>
      {w.add}
    </Button>
  );
  const isEmpty = list.total === 0 && search.value === '' && !isFiltered;
  const gone = (row: RowOf<L>): void => {
    const shown = chosen.value === undefined ? linked : rowId(resource, chosen.value);
    if (shown === rowId(resource, row)) show(undefined);
    close();
  };
  return (
    <>
      <div class="bar">
        {!isEmpty && adding}
        <SearchBox value={search.value} onValue={(text) => (search.value = text)} />
        {bar}
        <span role="status" aria-label={words.value.ui.count} class="soft">
          {isThere && words.value.ui.countOf(list.rows.length, list.total ?? 0)}
        </span>
      </div>
      <ProblemAlert problem={list.error} />
      {list.isLoading && !isThere && <Outline rows={6} />}
      <div class="list-with-drawer">
        {isEmpty ? (
          <Empty text={w.empty}>{adding}</Empty>
        ) : (
          isThere && (
            <div>
              <Table
                label={w.table}
                name={resource.list}
                columns={columnsWith(resource, open, show)}
                rows={list.rows}
                idOf={(row) => rowId(resource, row)}
                sort={order}
                onSort={(next) => (sort.value = next)}
                chosen={chosen.value === undefined ? linked : rowId(resource, chosen.value)}
                onMore={list.hasMore ? list.more : undefined}
                isMoreBusy={list.isLoading}
                {...(resource.drawer && { onOpen: show })}
              />
            </div>
          )
        )}
        {chosen.value !== undefined && (
          <RowDrawer resource={resource} row={chosen.value} onClose={() => show(undefined)} />
        )}
        {linked !== undefined && (
          <LinkedDrawer key={linked} resource={resource} id={linked} onClose={() => show(undefined)} />
        )}
      </div>
      <OpenDialog resource={resource} seed={seed} open={open.value} onClose={close} onDeleted={gone} />
    </>
  );
}

/** The row whose drawer is open: that of the route, where the page has routes for its rows. */
function useShown<L extends ListOperation>(resource: Resource<L>) {
  const chosen = useSignal<RowOf<L> | undefined>(undefined);
  const { page } = resource;
  const show = (row: RowOf<L> | undefined): void => {
    if (page === undefined) chosen.value = row;
    else location.hash = hrefOf(page, row && Number(rowId(resource, row)));
  };
  return { linked: page !== undefined && page === route.value.page ? route.value.id : undefined, chosen, show };
}

interface OpenDialogProps<L extends ListOperation> {
  resource: Resource<L>;
  seed: Readonly<Record<string, unknown>> | undefined;
  open: Open<RowOf<L>> | undefined;
  onClose: () => void;
  onDeleted: (row: RowOf<L>) => void;
}

function OpenDialog<L extends ListOperation>({ resource, seed, open, onClose, onDeleted }: OpenDialogProps<L>) {
  if (open === undefined) return null;
  if (open.kind === 'add')
    return <AddDialog resource={resource} seed={seed} onClose={onClose} title={resource.words().add} />;
  const { row } = open;
  if (open.kind === 'edit') return <EditDialog resource={resource} row={row} onClose={onClose} />;
  return <RemoveDialog resource={resource} row={row} onClose={onClose} onDeleted={() => onDeleted(row)} />;
}
