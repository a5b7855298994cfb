/** Asks before a broadcast is stopped, and tells what ends with it. */
import type { LivestreamStatus } from '../../../../live/status.ts';
import { StopEffectText } from '../../../../stop/effect-text.tsx';
import { useStoppedElsewhere } from '../../../../stop/stopped-elsewhere.ts';
import { ConfirmDialog } from '../../../../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../../../../ui/problem-alert.tsx';
import { words } from '../../words.ts';
import { stop } from '../broadcast.ts';
import { busyWords, orderOf } from '../orders.ts';
import { StaleNote } from './stale-note.tsx';

export function StopDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  const { livestreamId: id, name } = status;
  const w = words.value;
  const order = orderOf(id, 'stop').value;
  const state = order?.order.state.value;
  useStoppedElsewhere({ id, name, status: status.status, isOrdered: order !== undefined, onStopped: onClose });
  return (
    <ConfirmDialog
      title={w.dialogs.stop(name)}
      effect={
        <>
          <p>
            <StopEffectText id={id} status={status} />
          </p>
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
