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

/** A figure that must not exceed its bar. */
export function bounded(name: string, value: number, bar: number, unit: string, note: string): Figure {
  return { name, value, bar: `≤ ${bar}`, met: value <= bar, unit, note };
}

export function percentile95(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}
