/** Somebody else has changed the row meanwhile: both values of what differs, and the choice. */
import { fieldLabel } from '../i18n/field-labels.ts';
import { formWords } from '../i18n/form-words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { Conflict } from './saving.ts';
import { differences } from './differences.ts';

interface ChangedDialogProps {
  name: string;
  conflict: Conflict;
  /** The body that was refused. */
  mine: object;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

export function ChangedDialog({ name, conflict, mine, onKeepMine, onTakeTheirs, onClose }: ChangedDialogProps) {
  const w = formWords.value;
  const { theirs, by } = conflict;
  return (
    <Dialog
      title={w.changedTitle}
      description={by === undefined ? w.changed(name) : w.changedBy(name, by)}
      onClose={onClose}
    >
      <table class="differences">
        <thead>
          <tr>
            <th scope="col">{w.field}</th>
            <th scope="col">{w.mine}</th>
            <th scope="col">{w.theirs}</th>
          </tr>
        </thead>
        <tbody>
          {differences(mine, theirs).map((row) => (
            <tr key={row.path}>
              <th scope="row">{fieldLabel(row.path)}</th>
              <td>{row.mine}</td>
              <td>{row.theirs ?? w.secret}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="dialog-foot">
        <Button onPress={onTakeTheirs}>{w.takeTheirs}</Button>
        <Button kind="main" onPress={onKeepMine}>
          {w.keepMine}
        </Button>
      </div>
    </Dialog>
  );
}
