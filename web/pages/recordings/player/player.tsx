/** The picture of a finished Recording. It has no controls of its own: the transport below it steps by frames. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { words } from '../words.ts';
import { askAddress, lengthOf } from './media-link.ts';
import { partsOf } from './media-parts.ts';
import type { PlayerState } from './playback.ts';

interface PlayerProps {
  recording: { id: number; files: number; duration_seconds: number };
  playback: PlayerState;
}

export function Player({ recording, playback }: PlayerProps) {
  const video = useRef<HTMLVideoElement>(null);
  const problem = useSignal<Error | undefined>(undefined);
  const attempt = useSignal(0);
  const { id, files } = recording;
  const part = playback.part.value?.number;
  const w = words.value;
  useEffect(() => {
    const stop = playback.attach(video.current!);
    // Letters act at once on what was just opened.
    video.current?.focus({ preventScroll: true });
    return stop;
  }, []);
  useEffect(() => {
    if (files === 1) playback.setParts(partsOf([recording.duration_seconds]));
    else void measure(id, files).then((lengths) => playback.setParts(partsOf(lengths)), fail);
  }, [id, files]);
  useEffect(() => {
    if (part === undefined) return undefined;
    let isGone = false;
    askAddress(id, part).then((address) => {
      if (!isGone && video.current !== null) video.current.src = address;
    }, fail);
    return () => {
      isGone = true;
    };
  }, [part, attempt.value]);
  function fail(error: unknown): void {
    problem.value = error instanceof Error ? error : new Error(String(error));
  }
  const again = (): void => {
    problem.value = undefined;
    playback.error.value = undefined;
    playback.seek(playback.at.value);
    attempt.value += 1;
  };
  const { value: error } = playback.error;
  const reason = error === undefined ? undefined : (w.mediaErrors[error.code] ?? error.message);
  return (
    <>
      <video
        ref={video}
        class="recording-video"
        aria-label={w.player}
        tabIndex={0}
        preload="auto"
        playsInline
        disableRemotePlayback
      />
      {reason !== undefined && <ProblemAlert problem={new Error(w.mediaFailed(reason))} onRetry={again} />}
      <ProblemAlert problem={problem.value} onRetry={again} />
    </>
  );
}

/** One after the other: each opens a file on the Device. */
async function measure(recordingId: number, files: number): Promise<number[]> {
  const lengths: number[] = [];
  for (let part = 1; part <= files; part += 1) lengths.push(await lengthOf(await askAddress(recordingId, part)));
  return lengths;
}
