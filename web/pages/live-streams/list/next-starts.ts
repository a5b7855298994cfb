/** The next start of each Live stream that a Schedule will start within the days that the server answers. */
import { useAll } from '../../../api/all.ts';
import { moment } from '../../../live/clock.ts';

export function useNextStarts(): ReadonlyMap<number, string> {
  const { rows } = useAll('getScheduleOccurrences', { fields: 'livestreamId,start,state' });
  const found = new Map<number, string>();
  for (const { livestreamId, start, state } of rows) {
    const known = found.get(livestreamId);
    if (state !== 'planned' || Date.parse(start) < moment.peek()) continue;
    if (known === undefined || start < known) found.set(livestreamId, start);
  }
  return found;
}
