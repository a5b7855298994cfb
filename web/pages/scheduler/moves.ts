/** New times of an occurrence that is moved by keys, until they are taken or taken back. */
import { signal } from '@preact/signals';
import type { Occurrence } from './data.ts';

const STEP_MS = 15 * 60_000;

export interface Move {
  id: string;
  start: number;
  end: number;
}

export const move = signal<Move | undefined>(undefined);

/** Moves it, or its end alone, which stays after its start. */
export function moveBy(occurrence: Occurrence, steps: number, endAlone: boolean): Move {
  const present = move.peek()?.id === occurrence.id ? move.peek()! : occurrence;
  const end = present.end + steps * STEP_MS;
  const next = {
    id: occurrence.id,
    start: endAlone ? present.start : present.start + steps * STEP_MS,
    end: endAlone ? Math.max(end, present.start + STEP_MS) : end,
  };
  move.value = next;
  return next;
}

/** The occurrence as it would stand. */
export function moved(occurrence: Occurrence, present: Move | undefined): Occurrence {
  return present?.id === occurrence.id ? { ...occurrence, start: present.start, end: present.end } : occurrence;
}

/** Another occurrence of the same Live stream at these times. */
export function overlapOf(occurrences: readonly Occurrence[], id: string, times: Move): Occurrence | undefined {
  const own = occurrences.find((each) => each.id === id);
  return occurrences.find(
    (each) =>
      each.id !== id &&
      each.livestreamId === own?.livestreamId &&
      each.state !== 'skipped' &&
      each.start < times.end &&
      times.start < each.end,
  );
}
