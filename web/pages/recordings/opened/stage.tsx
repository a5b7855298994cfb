/** Picture, transport, bar and marks, with their keys; where there is no picture, why, and marks by number. */
import { useMemo, useRef } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import { hrefOf } from '../../../route.ts';
import { useKeys } from '../../../ui/registry/keys.ts';
import { durationText } from '../../../zone.ts';
import { CutForm } from '../cutting/cut-form.tsx';
import { Editor } from '../cutting/editor.ts';
import { cutClip } from '../cutting/jobs.ts';
import { clipFileName, flawIn, orderedSpans, spanOf, type Span } from '../cutting/marks.ts';
import { Bar } from '../player/bar.tsx';
import { GoTo } from '../player/go-to.tsx';
import { playerKeys } from '../player/player-keys.ts';
import { PlayerState } from '../player/playback.ts';
import { Player } from '../player/player.tsx';
import type { RunMark } from '../player/run-marks.ts';
import { Transport } from '../player/transport.tsx';
import { words } from '../words.ts';
import type { Recording } from './use-recording.ts';
import { Cause } from '../../../ui/show/cause.tsx';

interface StageState {
  playback: PlayerState;
  editor: Editor;
}

export function useStage(): StageState {
  return useMemo(() => ({ playback: new PlayerState(), editor: new Editor() }), []);
}

interface StageProps {
  recording: Recording;
  stage: StageState;
  marks: readonly RunMark[];
  isPlayable: boolean;
}

export function Stage({ recording, stage, marks, isPlayable }: StageProps) {
  const { playback, editor } = stage;
  const box = useRef<HTMLDivElement>(null);
  const goTo = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const isWritten = recording.status === 'recording';
  const length = isPlayable ? playback.length.value : recording.duration_seconds;
  const focusVideo = (): void => box.current?.querySelector('video')?.focus();
  const mark = (edge: 'in' | 'out'): void => {
    if (edge === 'in') editor.markIn(playback.at.value);
    else editor.markOut(playback.at.value);
  };
  const marked = (): Span | undefined => {
    editor.isTried.value = true;
    const span = spanOf(editor.marks.value);
    if (span !== undefined && flawIn(editor.marks.value, isWritten ? undefined : length) === undefined) return span;
    // After the error has been rendered: the first wrong field.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
    return undefined;
  };
  const add = (): void => {
    const span = marked();
    if (span !== undefined) editor.add(span);
  };
  const cut = (): void => {
    const pieces = editor.pieces.value;
    const { in: begin, out } = editor.marks.value;
    // Those that were added are a clip without another one.
    const isDone = pieces.length > 0 && `${begin}${out}`.trim() === '';
    const span = isDone ? undefined : marked();
    if (!isDone && span === undefined) return;
    const filename = clipFileName(editor.name.value);
    const trackId = editor.trackId.value;
    cutClip(recording.id, {
      ...orderedSpans([...pieces, ...(span === undefined ? [] : [span])]),
      mode: editor.mode.value,
      ...(filename !== undefined && { filename }),
      ...(trackId !== undefined && { trackId }),
    });
    editor.clear();
    if (isPlayable) focusVideo();
  };
  const leave = (): void => {
    location.hash = hrefOf('recordings');
  };
  const actions = { playback, editor, mark, cut, leave, goTo: () => goTo.current?.focus() };
  useKeys(box, words.value.player, isPlayable ? playerKeys(actions) : {});
  const canCut = can('createClip') && recording.status !== 'failed';
  return (
    <div class="stage" ref={box}>
      {isPlayable ? (
        <>
          <Player recording={recording} playback={playback} />
          <Bar playback={playback} editor={editor} marks={marks} />
          <Transport playback={playback} video={() => box.current?.querySelector('video') ?? null} />
          <GoTo input={goTo} playback={playback} onDone={focusVideo} />
        </>
      ) : (
        <WhyNot recording={recording} />
      )}
      {canCut && (
        <CutForm
          editor={editor}
          length={length}
          isWritten={isWritten}
          formRef={form}
          tracks={recording.tracks}
          onMark={isPlayable ? mark : undefined}
          onAdd={add}
          onCut={cut}
        />
      )}
    </div>
  );
}

function WhyNot({ recording }: { recording: Recording }) {
  const w = words.value;
  const { status, container, errorstatus, duration_seconds: seconds } = recording;
  const why = {
    recording: w.notYet(durationText(seconds)),
    failed: w.failed,
    finished: container === 'ts' ? w.noTs : w.noPlay,
  }[status];
  return (
    <div class="no-player">
      <p>
        {why} {status === 'failed' && <Cause text={errorstatus ?? ''} />}
      </p>
    </div>
  );
}
