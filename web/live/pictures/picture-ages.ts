/** When the picture of each tile that is on the screen was taken, and whether it is late. */
import { signal, type Signal } from '@preact/signals';

/** A late picture has three periods behind it, and no less than what a busy machine needs now and then. */
const LATE_PERIODS = 3;
const MIN_LATE_MS = 5_000;

/** From one picture of a tile to the next; 0: not known yet. */
export const periodMs = signal(0);

interface Shown {
  /** Milliseconds since 1970, the server's clock; undefined before the first picture. */
  takenAt: number | undefined;
  /** Since when it has been asked for without a break. */
  since: number;
}

const shown = new Map<number, Signal<Shown | undefined>>();

function shownOf(id: number): Signal<Shown | undefined> {
  const known = shown.get(id) ?? signal<Shown | undefined>(undefined);
  shown.set(id, known);
  return known;
}

export function markWanted(id: number, now: number): void {
  const known = shownOf(id);
  known.value = { takenAt: known.peek()?.takenAt, since: known.peek()?.since ?? now };
}

export function markUnwanted(id: number): void {
  shownOf(id).value = undefined;
}

export function markTaken(id: number, takenAt: number): void {
  const known = shownOf(id).peek();
  // Ages are looked at once a second: the signal need not tell each picture.
  if (known !== undefined) known.takenAt = takenAt;
}

/** Milliseconds; undefined while none is asked for, and before the first one. */
export function pictureAge(id: number, now: number): number | undefined {
  const takenAt = shownOf(id).value?.takenAt;
  return takenAt === undefined ? undefined : Math.max(0, now - takenAt);
}

/** Since when the picture has been late; undefined while it is not. */
export function isPictureLate(id: number, now: number): number | undefined {
  const known = shownOf(id).value;
  if (known?.takenAt === undefined) return undefined;
  const lateAt = Math.max(known.takenAt, known.since) + Math.max(LATE_PERIODS * periodMs.value, MIN_LATE_MS);
  return now > lateAt ? lateAt : undefined;
}
