/** What is wrong with the source on air, in words. */
import type { Condition, LivestreamStatusView } from '../domain/livestream-status.ts';
import { duration } from './sentence.ts';

const WORDS: Record<Condition['kind'], string> = { silence: 'silent', black: 'black', frozen: 'frozen' };
export const NOT_WATCHED = 'not watched';

/** Rows of a list may lack the fields. */
type Watched = Partial<Pick<LivestreamStatusView, 'status' | 'conditions' | 'source_watched'>>;

/** `silent for 2 minutes`, or `silent` without `nowMs`; `not watched` where nobody looks; empty where nothing is wrong. */
export function conditionWords({ status, conditions = [], source_watched }: Watched, nowMs?: number): string[] {
  if (status === 2 && source_watched === false) return [NOT_WATCHED];
  return conditions.map(({ kind, since }) => {
    if (nowMs === undefined) return WORDS[kind];
    // The clock of the Device may be ahead of this one.
    return `${WORDS[kind]} for ${duration(Math.max(1, (nowMs - Date.parse(since)) / 1000))}`;
  });
}
