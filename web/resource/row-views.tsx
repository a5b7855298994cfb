/** The drawer and the dialogs of one row. */
import { useRef } from 'preact/hooks';
import type { ListOperation, RowOf } from '../api/operation-types.ts';
import { useOne } from '../api/reads.ts';
import { formWords } from '../i18n/form-words.ts';
import type { OperationId } from '../../client/request.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { Outline } from '../ui/show/outline.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { FormDialog } from './form-dialog.tsx';
import { rowParams, type Resource } from './resource.ts';

interface RowProps<L extends ListOperation> {
  resource: Resource<L>;
  row: RowOf<L>;
  onClose: () => void;
}

/** The whole row with its ETag; where nothing reads one row, that of the list. */
function useRow<L extends ListOperation>({ one, list, ...rest }: Resource<L>, row: RowOf<L>) {
  const params = rowParams({ one, list, ...rest } as Resource<L>, row);
  const answer = useOne((one ?? list) as OperationId, (one === undefined ? undefined : params) as never);
  if (one === undefined) return { data: row, etag: undefined, error: null, isAsking: false };
  return {
    data: answer.data as RowOf<L> | undefined,
    etag: answer.etag,
    error: answer.error,
    isAsking: answer.isAsking,
  };
}

export function RowDrawer<L extends ListOperation>({ resource, row, onClose }: RowProps<L>) {
  const answer = useRow(resource, row);
  return <DrawerOf resource={resource} answer={answer} onClose={onClose} title={resource.nameOf(answer.data ?? row)} />;
}

interface LinkedProps<L extends ListOperation> {
  resource: Resource<L>;
  /** The id in the route, which may be one of no row. */
  id: number;
  onClose: () => void;
}

export function LinkedDrawer<L extends ListOperation>({ resource, id, onClose }: LinkedProps<L>) {
  const { data, etag, error } = useOne(resource.one!, { [resource.idParam ?? 'id']: id } as never);
  const answer = { data: data as RowOf<L> | undefined, etag, error };
  const title = answer.data === undefined ? resource.words().table : resource.nameOf(answer.data);
  return <DrawerOf resource={resource} answer={answer} onClose={onClose} title={title} />;
}

interface DrawerOfProps<L extends ListOperation> {
  resource: Resource<L>;
  answer: { data: RowOf<L> | undefined; etag: string | undefined; error: Error | null };
  title: string;
  onClose: () => void;
}

function DrawerOf<L extends ListOperation>({ resource, answer, title, onClose }: DrawerOfProps<L>) {
  const { data, etag, error } = answer;
  return (
    <Drawer title={title} onClose={onClose}>
      <ProblemAlert problem={error} />
      {data === undefined && error === null && <Outline rows={4} />}
      {data !== undefined && resource.drawer?.(data, etag)}
    </Drawer>
  );
}

interface AddProps<L extends ListOperation> {
  resource: Resource<L>;
  title: string;
  seed?: Readonly<Record<string, unknown>> | undefined;
  onClose: () => void;
}

export function AddDialog<L extends ListOperation>({ resource, title, seed, onClose }: AddProps<L>) {
  const { add, layout, addLayout } = resource;
  if (add === undefined) return null;
  return (
    <FormDialog
      title={title}
      operation={add}
      layout={addLayout ?? layout}
      seed={seed}
      onSaved={onClose}
      onClose={onClose}
    />
  );
}

export function EditDialog<L extends ListOperation>({ resource, row, onClose }: RowProps<L>) {
  const { update, layout, nameOf } = resource;
  const { data, etag, error, isAsking } = useRow(resource, row);
  // The form keeps the version that it was opened with: a change of the row meanwhile must meet its If-Match.
  const opened = useRef<{ data: RowOf<L>; etag: string | undefined } | undefined>(undefined);
  if (opened.current === undefined && data !== undefined && !isAsking) opened.current = { data, etag };
  const title = formWords.value.editOf(nameOf(row));
  if (update === undefined) return null;
  if (opened.current === undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        <ProblemAlert problem={error} />
        {error === null && <Outline rows={4} />}
      </Dialog>
    );
  return (
    <FormDialog
      title={title}
      name={nameOf(row)}
      operation={update}
      params={rowParams(resource, row) as never}
      row={opened.current.data as object}
      etag={opened.current.etag}
      layout={layout}
      onSaved={onClose}
      onClose={onClose}
    />
  );
}

export function RemoveDialog<L extends ListOperation>(props: RowProps<L> & { onDeleted: () => void }) {
  const { resource, row, onClose, onDeleted } = props;
  const { etag } = useRow(resource, row);
  if (resource.remove === undefined) return null;
  return (
    <DeleteDialog
      name={resource.nameOf(row)}
      operation={resource.remove}
      params={rowParams(resource, row) as never}
      etag={etag}
      effect={resource.deleteEffect?.(row)}
      onDeleted={onDeleted}
      onClose={onClose}
    />
  );
}
