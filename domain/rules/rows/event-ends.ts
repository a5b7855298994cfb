/** The conditions that last, by the events that end them. All other events are over at once. */
import type { EventKind, LivestreamEvent } from '../../shapes/installation/event.ts';

export const ENDS: Partial<Record<EventKind, readonly EventKind[]>> = {
  source_restored: ['source_lost'],
  source_switched: ['source_lost', 'silence', 'black', 'frozen', 'low_fps'],
  destination_up: ['destination_down', 'destination_retrying', 'destination_failed'],
  keys_replaced: ['keys_missing'],
  silence_ended: ['silence'],
  black_ended: ['black'],
  frozen_ended: ['frozen'],
  low_fps_ended: ['low_fps'],
  behind_ended: ['behind'],
  device_returned: ['device_lost'],
  run_moved: ['device_lost'],
};

/** Nothing of a Live stream that is off lasts. */
export const OFF: readonly EventKind[] = ['stopped', 'run_given_up'];

/** Each of several Destinations, Devices or sources has an end of its own. */
export const SUBJECTS = ['publishingId', 'path', 'deviceId', 'channelId'] as const;
/** They end what there was, whatever it was about. */
export const ENDS_ANY: readonly EventKind[] = ['source_switched'];

/** Says what an event is about, in words that another one about the same has too. */
export const subjectOf = (data: LivestreamEvent['data']): string =>
  SUBJECTS.flatMap((field) => (data[field] === undefined ? [] : [`${field} ${String(data[field])}`])).join(', ');

/** Whether the event ends what has begun; `of` is the subject of that. */
export function isEndOf(
  { kind, data }: Pick<LivestreamEvent, 'kind' | 'data'>,
  begun: { kind: EventKind; of: string },
): boolean {
  if (OFF.includes(kind)) return true;
  return ENDS[kind]?.includes(begun.kind) === true && (ENDS_ANY.includes(kind) || begun.of === subjectOf(data));
}
