/** Asks before a Recording is deleted: what goes, and what stays. */
import { useSignal } from '@preact/signals';
import { save } from '../../../api/saves.ts';
import { hrefOf } from '../../../route.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { notify } from '../../../ui/registry/notices.ts';
import { durationText } from '../../../zone.ts';
import type { Clip } from '../cutting/clips-of.ts';
import { sizeText } from '../../../ui/show/size-text.ts';
import { words } from '../words.ts';
import type { Recording } from './use-recording.ts';

interface DeleteRecordingProps {
  recording: Recording;
  etag: string | undefined;
  clips: readonly Clip[];
  onGoing: (isGoing: boolean) => void;
  onClose: () => void;
}

export function DeleteRecording({ recording, etag, clips, onGoing, onClose }: DeleteRecordingProps) {
  const w = words.value;
  const isBusy = useSignal(false);
  const problem = useSignal<Error | undefined>(undefined);
  const { id, name, duration_seconds: seconds, size_bytes: bytes, backup } = recording;
  const remove = async (): Promise<void> => {
    isBusy.value = true;
    // Nobody asks for it once the feed tells that it is gone.
    onGoing(true);
    const outcome = await save({ operation: 'deleteRecording', params: { recordingId: id }, etag });
    isBusy.value = false;
    if (outcome.kind === 'saved') {
      notify(w.deleted(name));
      location.hash = hrefOf('recordings');
      return;
    }
    onGoing(false);
    problem.value = outcome.kind === 'refused' ? outcome.error : new Error(w.changed);
  };
  const effect = (
    <>
      <p>{w.deleteEffect(durationText(seconds), sizeText(bytes))}</p>
      <p>{backup?.state === 'verified' ? w.backupStays : w.backupNone}</p>
      {clips.length > 0 && (
        <p>
          {w.clipsStay} {clips.map(({ filename }) => filename).join(', ')}
        </p>
      )}
    </>
  );
  return (
    <ConfirmDialog
      title={w.deleteQuestion(name)}
      effect={effect}
      button={w.deleteOne(name)}
      busy={isBusy.value ? w.deleting : undefined}
      problem={<ProblemAlert problem={problem.value} />}
      onConfirm={() => void remove()}
      onCancel={onClose}
    />
  );
}
