/** Writes the events of what is missing in a source: segments of its playlist, packets, or all of it for a moment. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { ended } from '../../../domain/base/sentence.ts';
import type { EventLog } from '../process/event-log.ts';

interface Missing {
  /** The field of the event that counts it. */
  field: string;
  one: string;
  many(count: number): string;
}

export const SEGMENTS: Missing = {
  field: 'segments',
  one: 'a segment is left out',
  many: (count) => `${count} segments are left out`,
};
export const PACKETS: Missing = {
  field: 'losses',
  one: 'packets are missing in one place',
  many: (count) => `packets are missing in ${count} places`,
};
/** It was back before viewers got the fallback. */
export const BREAKS: Missing = {
  field: 'breaks',
  one: 'its connection broke and was begun anew',
  many: (count) => `its connection broke ${count} times and was begun anew`,
};

/** A fault of an origin or a network lasts: it is an event at its beginning, and once a minute. */
const GAPS_EVERY_MS = 60_000;

export function gapReporter(
  events: EventLog,
  { name, channelId }: SourceSpec,
  { field, one, many }: Missing,
): (why: string, count: number, facts?: object) => void {
  let nextAt = -Infinity;
  let missing = 0;
  return (why, count, facts) => {
    missing += count;
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + GAPS_EVERY_MS;
    const what = missing === 1 ? one : many(missing);
    const data = { channelId, [field]: missing, reason: why, ...facts };
    events.add('source_gap', 'warning', `Channel "${name}": ${what}: ${ended(why)}`, data);
    missing = 0;
  };
}
