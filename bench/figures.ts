/** The result of a benchmark: mostly a ratio to a baseline of the same run, with the bar that it must meet. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  bar: string;
  met: boolean;
  note?: string;
}

/** Rounds on a shared machine have outliers on one side: the middle one counts, not the mean. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
