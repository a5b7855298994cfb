/** How late event loops came to what was due. */
export interface Lateness {
  /** Milliseconds, of every 10 ms. */
  p999: number;
  longest: number;
}

/** `counts` are milliseconds with how often they were measured. */
export function lateness(counts: readonly (readonly [number, number])[]): Lateness {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const all = sorted.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  const p999 = sorted.find(([, count]) => (seen += count) >= all * 0.999)?.[0] ?? 0;
  return { p999, longest: sorted.at(-1)?.[0] ?? 0 };
}
