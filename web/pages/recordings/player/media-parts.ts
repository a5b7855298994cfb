/** A Recording that stays in several files is one time line: each part begins where the one before it ends. */
export interface MediaPart {
  /** From 1, as the server counts. */
  number: number;
  /** Seconds from the beginning of the Recording. */
  begins: number;
  seconds: number;
}

export function partsOf(lengths: readonly number[]): MediaPart[] {
  const begins = lengths.map((_, place) => lengths.slice(0, place).reduce((sum, each) => sum + each, 0));
  return lengths.map((seconds, place) => ({ number: place + 1, begins: begins[place]!, seconds }));
}

/** The part that has this instant; the last one for all that is behind it. */
export function partAt(parts: readonly MediaPart[], seconds: number): MediaPart | undefined {
  return parts.findLast(({ begins }) => begins <= seconds) ?? parts[0];
}
