/** Acknowledges the faults of a Live stream with words for everybody. */
import { useSignal } from '@preact/signals';
import { words as common } from '../../../../i18n/words.ts';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { TextField } from '../../../../ui/field.tsx';
import { words } from '../../words.ts';
import { acknowledgeStream } from '../acknowledge.ts';

export function NoteDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  const note = useSignal('');
  const w = words.value;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    acknowledgeStream(status.livestreamId, note.value.trim() || undefined);
    onClose();
  };
  return (
    <Dialog title={w.acts.names.acknowledge(status.name)} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField
          label={w.dialogs.note}
          description={w.dialogs.noteHelp}
          value={note.value}
          onValue={(value) => (note.value = value)}
          autocomplete="off"
        />
        <footer class="dialog-foot">
          <Button onPress={onClose}>{common.value.ui.cancel}</Button>
          <Button kind="main" submits>
            {w.acts.acknowledge}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
