/** Writes the event of segments that are left out of a source. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { ended } from '../../../domain/base/sentence.ts';
import type { EventLog } from '../process/event-log.ts';

/** A fault of an origin lasts for many segments: it is an event at its beginning, and once a minute. */
const GAPS_EVERY_MS = 60_000;

export function gapReporter(
  events: EventLog,
  { name, channelId }: SourceSpec,
): (why: string, segments: number) => void {
  let nextAt = -Infinity;
  let missing = 0;
  return (why, segments) => {
    missing += segments;
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + GAPS_EVERY_MS;
    const what = missing === 1 ? 'a segment is left out' : `${missing} segments are left out`;
    events.add('source_gap', 'warning', `Channel "${name}": ${what}: ${ended(why)}`, {
      channelId,
      segments: missing,
      reason: why,
    });
    missing = 0;
  };
}
