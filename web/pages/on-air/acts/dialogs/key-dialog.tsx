/** Another stream key for a Destination on air. */
import { useSignal } from '@preact/signals';
import { sendOrder } from '../../../../api/commands.ts';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { TextField } from '../../../../ui/field.tsx';
import { ProblemAlert } from '../../../../ui/problem-alert.tsx';
import { notify } from '../../../../ui/registry/notices.ts';
import { words as common } from '../../../../i18n/words.ts';
import { words } from '../../words.ts';
import { busyWords, follow, orderOf } from '../orders.ts';
import { StaleNote } from './stale-note.tsx';

interface KeyDialogProps {
  status: LivestreamStatus;
  publishingId: number;
  onClose: () => void;
}

export function KeyDialog({ status, publishingId, onClose }: KeyDialogProps) {
  const { livestreamId: id, publishings } = status;
  const key = useSignal('');
  const name = publishings.find((each) => each.publishingId === publishingId)?.name ?? '';
  const w = words.value;
  const failed = orderOf(id, 'key').value?.order;
  const state = failed?.state.value;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (key.value === '') return;
    const order = sendOrder({
      operation: 'update_destination_stream_key',
      body: { livestream: `#${id}`, destination: `#${publishingId}`, stream_key: key.value },
    });
    follow({ livestreamId: id, control: 'key', words: w.acts.going.key, order });
    void order.done.then(() => {
      notify(w.dialogs.keySet(name));
      onClose();
    });
  };
  return (
    <Dialog title={w.dialogs.key(name)} description={w.dialogs.keyEffect} onClose={onClose}>
      <form onSubmit={submit}>
        <StaleNote />
        {state?.kind === 'failed' && <ProblemAlert problem={state.error} onRetry={() => failed?.retry()} />}
        <TextField
          label={w.dialogs.keyField}
          type="password"
          autocomplete="off"
          value={key.value}
          onValue={(value) => (key.value = value)}
          required
        />
        <footer class="dialog-foot">
          <Button onPress={onClose}>{common.value.ui.cancel}</Button>
          <Button kind="danger" submits busy={busyWords(id, 'key', w.acts.unconfirmed)}>
            {w.dialogs.keyButton(name)}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
