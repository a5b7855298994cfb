/** Cuts a clip between two marks out of the Recording that is being written. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { sendOrder } from '../../../api/commands.ts';
import { useOne } from '../../../api/reads.ts';
import { words as common } from '../../../i18n/words.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { words } from '../words.ts';
import { clipFile, secondsOf, timeText } from './clip-times.ts';
import { busyWords, follow, orderOf } from '../acts/orders.ts';

/** The answer comes with the clip, and a long one takes minutes on a busy machine. */
const CUT_MS = 300_000;

interface ClipDialogProps {
  status: LivestreamStatus;
  /** Milliseconds since 1970, server's clock. */
  from: number;
  to: number;
  onClose: () => void;
}

export function ClipDialog({ status, from, to, onClose }: ClipDialogProps) {
  const { livestreamId: id, recordingId, name } = status;
  const recording = useOne('getRecording', recordingId === null ? undefined : { recordingId });
  const start = recording.data?.started_at;
  const begin = useSignal('');
  const end = useSignal('');
  const filename = useSignal('');
  useEffect(() => {
    if (start === undefined || begin.value !== '') return;
    begin.value = timeText((from - Date.parse(start)) / 1000);
    end.value = timeText((to - Date.parse(start)) / 1000);
  }, [start]);
  const w = words.value;
  const [first, last] = [secondsOf(begin.value), secondsOf(end.value)];
  const isWrong = first === undefined || last === undefined || last <= first;
  const order = orderOf(id, 'clip').value?.order;
  const state = order?.state.value;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isWrong || recordingId === null) return;
    const sent = sendOrder({
      operation: 'createClip',
      failedMs: CUT_MS,
      params: { recordingId },
      body: { in: first, out: last, ...(filename.value.trim() !== '' && { filename: clipFile(filename.value) }) },
    });
    const text = w.acts.done.clip(filename.value || name);
    follow({ livestreamId: id, control: 'clip', words: w.acts.going.clip, order: sent }, { text, then: onClose });
  };
  return (
    <Dialog title={w.dialogs.clip(name)} description={w.dialogs.clipFrom} onClose={onClose}>
      <form onSubmit={submit}>
        {state?.kind === 'failed' && <ProblemAlert problem={state.error} onRetry={() => order?.retry()} />}
        <ProblemAlert problem={recording.error} />
        <TextField label={w.dialogs.clipIn} value={begin.value} onValue={(value) => (begin.value = value)} />
        <TextField
          label={w.dialogs.clipOut}
          value={end.value}
          onValue={(value) => (end.value = value)}
          error={isWrong && begin.value !== '' ? w.dialogs.badTime : undefined}
        />
        <TextField
          label={w.dialogs.clipName}
          value={filename.value}
          onValue={(value) => (filename.value = value)}
          isOptional
        />
        <footer class="dialog-foot">
          <Button onPress={onClose}>{common.value.ui.cancel}</Button>
          <Button kind="main" submits busy={busyWords(id, 'clip', w.acts.unconfirmed)}>
            {w.dialogs.cut}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
