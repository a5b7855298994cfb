/** Chooses the place that a clip is sent to. The list of Target Folders is for Administrators; an operator types the number that one of them told. */
import { useSignal } from '@preact/signals';
import type { BodyOf, RowOf } from '../../../api/operation-types.ts';
import { can } from '../../../api/can.ts';
import { useList } from '../../../api/reads.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, TextField } from '../../../ui/field.tsx';
import { words as allWords } from '../../../i18n/words.ts';
import { words } from '../words.ts';

interface ExportDialogProps {
  filename: string;
  onClose: () => void;
  onSend: (body: BodyOf<'exportClip'>) => void;
}

export function ExportDialog({ filename, onClose, onSend }: ExportDialogProps) {
  const w = words.value;
  const folder = useSignal('');
  const name = useSignal(filename);
  const replace = useSignal(false);
  const isTried = useSignal(false);
  const id = Number(folder.value);
  const isGood = Number.isInteger(id) && id > 0;
  const error = isTried.value && !isGood ? w.chooseFolder : undefined;
  const send = (event: Event): void => {
    event.preventDefault();
    isTried.value = true;
    if (!isGood) return;
    const other = name.value.trim();
    const named = other === '' || other === filename ? {} : { name: other };
    onSend({ targetFolderId: id, fileType: 'clips', replace: replace.value, ...named });
  };
  return (
    <Dialog title={w.exportOne(filename)} onClose={onClose}>
      <form onSubmit={send} class="form">
        {can('getAllTargetFolders') ? (
          <FolderChoice value={folder.value} error={error} onValue={(value) => (folder.value = value)} />
        ) : (
          <TextField
            label={w.exportNumber}
            description={w.exportNumberHint}
            inputMode="numeric"
            value={folder.value}
            error={error}
            onValue={(value) => (folder.value = value)}
          />
        )}
        <TextField label={w.exportName} value={name.value} onValue={(value) => (name.value = value)} />
        <label class="check">
          <input
            type="checkbox"
            checked={replace.value}
            onChange={({ currentTarget }) => (replace.value = currentTarget.checked)}
          />
          {w.exportReplace}
        </label>
        <footer class="dialog-foot">
          <Button onPress={onClose}>{allWords.value.ui.cancel}</Button>
          <Button kind="main" icon="upload" submits>
            {w.export}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

type FolderRow = Required<RowOf<'getAllTargetFolders'>>;

interface FolderChoiceProps {
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}

function FolderChoice({ value, error, onValue }: FolderChoiceProps) {
  const w = words.value;
  const { rows, isLoading } = useList('getAllTargetFolders', { sort: 'name', pageSize: 500 });
  const hint = rows.length === 0 && !isLoading ? w.noFolders : undefined;
  return (
    <Field label={w.exportTo} error={error} description={hint}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          <option value="">–</option>
          {(rows as readonly FolderRow[]).map(({ id, name }) => (
            <option key={id} value={id}>{`${name} (${id})`}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
