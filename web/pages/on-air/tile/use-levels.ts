/** The levels of a stream, from its pictures or its rates, whichever are newer. */
import { useComputed, useSignal } from '@preact/signals';
import type { StreamView } from '../../../live/streams.ts';
import type { Levels } from './meters.tsx';

/** Peaks come with each picture, and with the rates where there are none. */
export function useLevels(view: StreamView) {
  const fromPicture = useSignal<(Levels & { at: number }) | undefined>(undefined);
  const levels = useComputed((): Levels => {
    const rates = view.rates.value;
    const picture = fromPicture.value;
    if (picture !== undefined && picture.at >= (rates?.at ?? 0) - 1000) return picture;
    return { left: rates?.peakLeft ?? null, right: rates?.peakRight ?? null };
  });
  return {
    levels,
    onLevels: ({
      peakLeft,
      peakRight,
      takenAt,
    }: {
      peakLeft: number | null;
      peakRight: number | null;
      takenAt: number;
    }) => {
      fromPicture.value = { left: peakLeft, right: peakRight, at: takenAt };
    },
  };
}
