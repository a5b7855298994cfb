/** Asks before a recording that was begun on air is ended: another one begins a new file. */
import type { LivestreamStatus } from '../../../../live/status.ts';
import { ConfirmDialog } from '../../../../ui/confirm-dialog.tsx';
import { words } from '../../words.ts';
import { setRecording } from '../broadcast.ts';
import { StaleNote } from './stale-note.tsx';

export function EndRecordingDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  const { livestreamId: id, name } = status;
  const w = words.value.dialogs;
  const confirm = (): void => {
    setRecording(id, false);
    onClose();
  };
  return (
    <ConfirmDialog
      title={w.endRecording(name)}
      effect={
        <>
          {w.endRecordingEffect}
          <StaleNote />
        </>
      }
      button={w.endRecordingButton(name)}
      onConfirm={confirm}
      onCancel={onClose}
    />
  );
}
