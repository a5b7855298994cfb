/** One Recording: player and marks, clips, what happened, details. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import { hrefOf } from '../../../route.ts';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Icon } from '../../../ui/show/icon.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { Clips } from '../cutting/clips.tsx';
import { useClips, type Clip } from '../cutting/clips-of.ts';
import { StateOf } from '../list/state-of.tsx';
import { words } from '../words.ts';
import { Acts } from './acts.tsx';
import { Details } from './details.tsx';
import { useRunMarks } from './run-events.ts';
import { RunEvents } from './run-events-list.tsx';
import { Stage, useStage } from './stage.tsx';
import { useRecording, type Recording } from './use-recording.ts';

export function Opened({ id }: { id: number }) {
  const isGoing = useSignal(false);
  const { data, etag, error } = useRecording(id, isGoing.value);
  return (
    <>
      <p class="back">
        <a href={hrefOf('recordings')}>
          <Icon name="chevron-left" /> {words.value.back}
        </a>
      </p>
      <ProblemAlert problem={error} />
      {data === undefined ? (
        error === null && <Outline rows={4} />
      ) : (
        <OpenedOne recording={data} etag={etag} onGoing={(is) => (isGoing.value = is)} />
      )}
    </>
  );
}

interface OpenedOneProps {
  recording: Recording;
  etag: string | undefined;
  onGoing: (isGoing: boolean) => void;
}

function OpenedOne({ recording, etag, onGoing }: OpenedOneProps) {
  const stage = useStage();
  const clips = useClips(recording);
  const marks = useRunMarks(recording);
  const { status, name } = recording;
  useEffect(() => performance.mark('useful') && undefined, []);
  const isPlayable = status === 'finished' && recording.container === 'mp4' && can('createRecordingDownload');
  const show = ({ in: begin, out }: Clip): void => {
    stage.playback.seek(begin);
    stage.editor.markIn(begin);
    stage.editor.markOut(out);
  };
  return (
    <section class="opened" aria-label={name}>
      <header class="opened-head">
        <h2>{name}</h2>
        <StateOf status={status} />
        <Acts recording={recording} etag={etag} clips={clips.data ?? []} onGoing={onGoing} />
      </header>
      <div class="opened-columns">
        <Stage recording={recording} stage={stage} marks={marks} isPlayable={isPlayable} />
        <div class="opened-side">
          {status !== 'failed' && (
            <Clips recordingId={recording.id} clips={clips} onShow={isPlayable ? show : undefined} />
          )}
          <RunEvents marks={marks} onChoose={isPlayable ? (at) => stage.playback.seek(at) : undefined} />
          <Details recording={recording} />
        </div>
      </div>
    </section>
  );
}
