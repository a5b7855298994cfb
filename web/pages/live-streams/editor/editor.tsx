/** The editor of a Live stream; while it is on air it is locked and offers what can be changed then. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { useOne } from '../../../api/reads.ts';
import { formWords } from '../../../i18n/form-words.ts';
import { FormDialog } from '../../../resource/form-dialog.tsx';
import { hrefOf } from '../../../route.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { Draft } from '../../../ui/form/draft.ts';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { isStartable, statusOf } from '../list/live-status.ts';
import type { Parts, StreamRow } from '../list/parts.ts';
import { words } from '../words.ts';
import { optionsLayout } from './options-layout.ts';
import { EditorCards, type NewPart } from './editor-cards.tsx';

interface EditorProps {
  parts: Parts;
  onClose: () => void;
}

/** The form of a new Live stream, or of a stored one with the version that it was opened with. */
function EditorForm(props: EditorProps & { stored?: Stored | undefined; onSaved?: (id: number) => void }) {
  const { parts, stored, onClose, onSaved } = props;
  const making = useSignal<{ part: NewPart; draft: Draft } | undefined>(undefined);
  const made = useSignal<ReadonlyMap<string, string>>(new Map());
  const shared = {
    size: 'wide' as const,
    view: (draft: Draft) => (
      <EditorCards draft={draft} parts={parts} made={made.value} onNew={(part) => (making.value = { part, draft })} />
    ),
    onClose,
  };
  const saved = ({ id }: { id: number }): void => {
    onClose();
    onSaved?.(id);
  };
  const now = making.value;
  return (
    <>
      {stored === undefined ? (
        <FormDialog title={words.value.add} operation="addLivestream" onSaved={saved} {...shared} />
      ) : (
        <FormDialog
          title={formWords.value.editOf(stored.data.name)}
          name={stored.data.name}
          operation="updateLivestream"
          params={{ livestreamId: stored.data.id }}
          row={stored.data}
          etag={stored.etag}
          onSaved={saved}
          {...shared}
        />
      )}
      {now !== undefined && (
        <FormDialog
          title={now.part.title}
          operation={now.part.operation}
          seed={now.part.name === '' ? {} : { name: now.part.name }}
          onSaved={(data) => {
            const { field } = now.part;
            const other = { encodingId: 'encodingGroupId', publishingId: 'publishingGroupId' }[field];
            const { id, name } = data as { id: number; name: string };
            made.value = new Map(made.peek()).set(`${field} ${id}`, name);
            now.draft.set(field, id);
            if (other !== undefined) now.draft.set(other, '');
            making.value = undefined;
          }}
          onClose={() => (making.value = undefined)}
        />
      )}
    </>
  );
}

export function NewEditor(props: EditorProps & { onSaved: (id: number) => void }) {
  return <EditorForm {...props} />;
}

interface Stored {
  data: DataOf<'getLivestreamById'>;
  etag: string | undefined;
}

export function Editor({ row, parts, onClose }: EditorProps & { row: Pick<StreamRow, 'id' | 'name'> }) {
  const { data, etag, error, isAsking } = useOne('getLivestreamById', { livestreamId: row.id });
  // The form keeps the version that it was opened with: a change of the row meanwhile must meet its If-Match.
  const opened = useRef<Stored | undefined>(undefined);
  const wasLocked = useRef<boolean | undefined>(undefined);
  if (opened.current === undefined && data !== undefined && !isAsking) opened.current = { data, etag };
  if (data !== undefined) wasLocked.current ??= !isStartable(statusOf(data));
  if (opened.current === undefined)
    return (
      <Dialog title={formWords.value.editOf(row.name)} onClose={onClose}>
        <ProblemAlert problem={error} />
        {error === null && <Outline rows={4} />}
      </Dialog>
    );
  if (wasLocked.current === true) return <Locked stored={opened.current} onClose={onClose} />;
  return <EditorForm parts={parts} stored={opened.current} onClose={onClose} />;
}

function Locked({ stored: { data, etag }, onClose }: { stored: Stored; onClose: () => void }) {
  const isOpen = useSignal(false);
  const w = words.value;
  if (isOpen.value)
    return (
      <FormDialog
        title={w.optionsOf(data.name)}
        name={data.name}
        operation="updateLivestreamOptions"
        params={{ livestreamId: data.id }}
        row={data}
        etag={etag}
        layout={optionsLayout()}
        onSaved={onClose}
        onClose={onClose}
      />
    );
  return (
    <Dialog title={formWords.value.editOf(data.name)} description={w.locked(data.name)} onClose={onClose}>
      <div class="acts">
        {can('updateLivestreamOptions') && (
          <Button kind="main" onPress={() => (isOpen.value = true)}>
            {w.changeOptions}
          </Button>
        )}
        <a href={hrefOf('on-air')}>{w.acts.onAir}</a>
      </div>
      <p class="soft locked-more">{w.lockedMore}</p>
    </Dialog>
  );
}
