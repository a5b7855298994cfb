/** The rows that tell who watched in a time. */
import type { KeptAudience, Window } from '../../domain/rules/broadcasts/audience.ts';
import { toIso } from '../../domain/time/clock.ts';
import { instantRange } from '../output/page.ts';
import type { Reads } from '../tool.ts';

/** A row has the totals at its instant: one of the begin is what was before, one of the end is the last that counts. */
function justBehind(instant: string): string {
  return toIso(Date.parse(instant) + 1);
}

export async function audienceRows(
  store: Reads,
  livestreamId: number,
  { from, to }: Window,
): Promise<Pick<KeptAudience, 'before' | 'minutes'>> {
  const before = { livestreamId, at: { lt: justBehind(from) } };
  const within = { livestreamId, at: instantRange(justBehind(from), justBehind(to)) };
  const [last, { rows }] = await Promise.all([
    store.find('audienceMinutes', { where: before, sort: { field: 'at', descending: true }, limit: 1 }),
    store.find('audienceMinutes', { where: within, sort: { field: 'at', descending: false } }),
  ]);
  return { before: last.rows[0], minutes: rows };
}
