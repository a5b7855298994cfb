/** The levels of a stream as they are measured now. */
import { useComputed, useSignal } from '@preact/signals';
import { levelsOf, type Levels } from '../../../live/measured.ts';
import type { LivePicture } from '../../../live/pictures/frames.ts';
import type { StreamView } from '../../../live/streams.ts';

export function useLevels(view: StreamView) {
  const fromPicture = useSignal<(Levels & { at: number }) | undefined>(undefined);
  return {
    // A start has no sound yet, and one that has failed has none any more.
    levels: useComputed(() =>
      view.status.value.status === 2 ? levelsOf(view.rates.value, fromPicture.value) : undefined,
    ),
    onLevels: ({ peakLeft, peakRight, takenAt }: LivePicture) => {
      fromPicture.value = { left: peakLeft, right: peakRight, at: takenAt };
    },
  };
}
