/** Live streams: the list, what is chosen beside it, and the dialogs. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { can } from '../../api/can.ts';
import { useOne } from '../../api/reads.ts';
import { DeleteDialog } from '../../resource/delete-dialog.tsx';
import { hrefOf, route } from '../../route.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { isWizardAsked } from '../../wizard/asked.ts';
import { StreamDrawer } from './drawer/stream-drawer.tsx';
import { Editor, NewEditor } from './editor/editor.tsx';
import type { RowActs } from './list/columns.tsx';
import { ManyDialog, type ManyAct } from './list/many-dialog.tsx';
import { useParts, type Parts, type StreamRow } from './list/parts.ts';
import { StreamList, useStreams } from './list/stream-list.tsx';
import { StartDialog } from './start/start-dialog.tsx';
import { StopDialog } from './stop/stop-dialog.tsx';
import { words } from './words.ts';

type Open =
  | { kind: 'add' }
  | { kind: 'start' | 'stop' | 'edit' | 'delete'; id: number }
  | { kind: 'many'; act: ManyAct; rows: readonly StreamRow[] };

function goTo(id: number | undefined): void {
  location.hash = hrefOf('live-streams', id);
}

export function LiveStreams() {
  const parts = useParts();
  const { rows, total } = useStreams();
  const open = useSignal<Open | undefined>(undefined);
  const opened = rows.find(({ id }) => id === route.value.id);
  const wanted = route.value.query['new'];
  useEffect(() => {
    if (wanted === undefined) return;
    const isAll = wanted === 'all' && can('addLivestream');
    isWizardAsked.value = !isAll;
    if (isAll) open.value = { kind: 'add' };
    // Who comes back to the page does not want it once more.
    location.replace(hrefOf('live-streams'));
  }, [wanted]);
  const acts = useMemo(
    (): RowActs => ({
      start: ({ id }) => (open.value = { kind: 'start', id }),
      stop: ({ id }) => (open.value = { kind: 'stop', id }),
      open: ({ id }) => goTo(id),
    }),
    [],
  );
  // Hundreds of rows are drawn anew for their own changes alone, and not for a dialog.
  const list = useMemo(
    () => (
      <StreamList
        parts={parts}
        acts={acts}
        opened={opened?.id}
        onAdd={() => (open.value = { kind: 'add' })}
        onMany={(act, chosen) => (open.value = { kind: 'many', act, rows: chosen })}
      />
    ),
    [parts, opened?.id],
  );
  const closeDrawer = (): void => {
    const id = route.peek().id;
    goTo(undefined);
    document.querySelector<HTMLElement>(`main [data-row="${id}"]`)?.focus();
  };
  return (
    <>
      <h1>{words.value.title}</h1>
      {opened === undefined && total !== undefined && <Missing id={route.value.id} />}
      <div class="list-with-drawer">
        {list}
        {opened !== undefined && (
          <StreamDrawer
            key={opened.id}
            row={opened}
            parts={parts}
            acts={acts}
            onEdit={() => (open.value = { kind: 'edit', id: opened.id })}
            onDelete={() => (open.value = { kind: 'delete', id: opened.id })}
            onClose={closeDrawer}
          />
        )}
      </div>
      <OpenDialog open={open.value} parts={parts} rows={rows} onOpen={(next) => (open.value = next)} />
    </>
  );
}

/** Says why the Live stream of the route is not shown. */
function Missing({ id }: { id: number | undefined }) {
  const { error } = useOne('getLivestreamById', id === undefined ? undefined : { livestreamId: id });
  return <ProblemAlert problem={error} />;
}

interface OpenDialogProps {
  open: Open | undefined;
  parts: Parts;
  rows: readonly StreamRow[];
  onOpen: (open: Open | undefined) => void;
}

function OpenDialog({ open, parts, rows, onOpen }: OpenDialogProps) {
  const close = (): void => onOpen(undefined);
  if (open === undefined) return null;
  if (open.kind === 'add') return <NewEditor parts={parts} onClose={close} onSaved={goTo} />;
  if (open.kind === 'many') return <ManyDialog {...open} onDone={close} onClose={close} />;
  const row = rows.find(({ id }) => id === open.id);
  if (row === undefined) return null;
  if (open.kind === 'start')
    return <StartDialog row={row} parts={parts} onClose={close} onEdit={() => onOpen({ kind: 'edit', id: row.id })} />;
  if (open.kind === 'stop') return <StopDialog row={row} onClose={close} />;
  if (open.kind === 'edit') return <Editor row={row} parts={parts} onClose={close} />;
  return (
    <DeleteDialog
      name={row.name}
      operation="deleteLivestream"
      params={{ livestreamId: row.id }}
      effect={words.value.deleteEffect(row.name)}
      onDeleted={() => {
        close();
        goTo(undefined);
      }}
      onClose={close}
    />
  );
}
