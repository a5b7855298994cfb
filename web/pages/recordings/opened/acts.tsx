/** Acts on the whole Recording: download, a link for others, transcription, delete. */
import { useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import type { Clip } from '../cutting/clips-of.ts';
import { download } from '../player/media-link.ts';
import { words } from '../words.ts';
import { DeleteRecording } from './delete-recording.tsx';
import { HandOff } from './hand-off.tsx';
import { LinkDialog } from './link-dialog.tsx';
import type { Recording } from './use-recording.ts';

interface ActsProps {
  recording: Recording;
  etag: string | undefined;
  clips: readonly Clip[];
  onGoing: (isGoing: boolean) => void;
}

export function Acts({ recording, etag, clips, onGoing }: ActsProps) {
  const w = words.value;
  const dialog = useSignal<'link' | 'delete' | undefined>(undefined);
  const problem = useSignal<Error | undefined>(undefined);
  const { id, name, status, files } = recording;
  const isThere = status === 'finished' && can('createRecordingDownload');
  const close = (): void => {
    dialog.value = undefined;
  };
  const load = (part: number): void => {
    problem.value = undefined;
    download(id, part).catch((error: unknown) => (problem.value = error as Error));
  };
  return (
    <>
      <div class="acts">
        {isThere &&
          Array.from({ length: files }, (_, place) => (
            <Button key={place} icon="download" onPress={() => load(place + 1)}>
              {files === 1 ? w.download : `${w.download} ${w.part(place + 1, files)}`}
            </Button>
          ))}
        {isThere && (
          <Button icon="link" onPress={() => (dialog.value = 'link')}>
            {w.createLink}
          </Button>
        )}
        {status === 'finished' && files === 1 && <HandOff recordingId={id} name={name} />}
        {status !== 'recording' && can('deleteRecording') && (
          <Button kind="danger" icon="trash-2" label={w.deleteOne(name)} onPress={() => (dialog.value = 'delete')}>
            {w.delete}
          </Button>
        )}
      </div>
      <ProblemAlert problem={problem.value} />
      {dialog.value === 'link' && <LinkDialog recording={recording} onClose={close} />}
      {dialog.value === 'delete' && (
        <DeleteRecording recording={recording} etag={etag} clips={clips} onGoing={onGoing} onClose={close} />
      )}
    </>
  );
}
