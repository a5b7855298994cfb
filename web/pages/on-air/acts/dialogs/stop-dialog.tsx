/** Asks before a broadcast is stopped, and tells what ends with it. */
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../../../../api/call.ts';
import type { DataOf } from '../../../../api/operation-types.ts';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { ConfirmDialog } from '../../../../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../../../../ui/problem-alert.tsx';
import { words } from '../../words.ts';
import { stop } from '../broadcast.ts';
import { busyWords, orderOf } from '../orders.ts';
import { StaleNote } from './stale-note.tsx';

export function StopDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  const { livestreamId: id, name } = status;
  const w = words.value;
  const plan = useSignal<string | undefined>(undefined);
  useEffect(() => {
    // The server knows the Schedule; without its word the dialog says what the page knows.
    call('stop_livestream', { body: { livestream: `#${id}`, dry_run: true } })
      .then(({ body }) => (plan.value = (dataIn(body) as DataOf<'stop_livestream'>).message))
      .catch(() => undefined);
  }, []);
  const order = orderOf(id, 'stop').value;
  const state = order?.order.state.value;
  return (
    <ConfirmDialog
      title={w.dialogs.stop(name)}
      effect={
        <>
          <p>{knownEffect(status)}</p>
          {plan.value !== undefined && <p class="soft">{plan.value}</p>}
          <StaleNote />
        </>
      }
      button={w.dialogs.stopButton(name)}
      busy={busyWords(id, 'stop', w.acts.unconfirmed)}
      problem={state?.kind === 'failed' && <ProblemAlert problem={state.error} onRetry={() => order?.order.retry()} />}
      onConfirm={() => stop(id, onClose)}
      onCancel={onClose}
    />
  );
}

function knownEffect({ publishings, recordingId, scheduleId }: LivestreamStatus): string {
  const w = words.value.dialogs;
  const count = publishings.filter(({ primary, backup }) => primary.enabled || backup?.enabled === true).length;
  return [w.stopEffect(count), recordingId !== null && w.stopRecording, scheduleId !== null && w.stopSchedule]
    .filter(Boolean)
    .join(' ');
}
