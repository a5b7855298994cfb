/** Since when each path of a Live stream has not been up. A path that tries again enters another state each time; its outage goes on. */
import type { Path, Publishing } from './status.ts';

/** Milliseconds since 1970 by publishingId and path: `12 primary`. */
export type Outages = Readonly<Record<string, number>>;

export function outagesAfter(before: Outages, publishings: readonly Publishing[]): Outages {
  const after: Record<string, number> = {};
  for (const { publishingId, primary, backup } of publishings)
    for (const [kind, path] of [['primary', primary] as const, ['backup', backup] as const]) {
      if (path === null || !path.enabled || path.state === 'up') continue;
      const key = `${publishingId} ${kind}`;
      after[key] = before[key] ?? Date.parse(path.since);
    }
  return after;
}

export function outageOf(outages: Outages, publishingId: number, kind: 'primary' | 'backup', path: Path): number {
  return outages[`${publishingId} ${kind}`] ?? Date.parse(path.since);
}
