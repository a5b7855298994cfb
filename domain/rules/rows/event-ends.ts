/** The conditions that last, by the events that end them. All other events are over at once. */
import type { EventKind } from '../../shapes/installation/event.ts';

export const ENDS: Partial<Record<EventKind, readonly EventKind[]>> = {
  source_restored: ['source_lost', 'source_gap'],
  source_switched: ['source_lost', 'source_gap', 'silence', 'black', 'frozen', 'low_fps'],
  destination_up: ['destination_down', 'destination_retrying', 'destination_failed'],
  silence_ended: ['silence'],
  black_ended: ['black'],
  frozen_ended: ['frozen'],
  low_fps_ended: ['low_fps'],
  behind_ended: ['behind'],
  device_returned: ['device_lost'],
};

/** Nothing of a Live stream that is off lasts. */
export const OFF: readonly EventKind[] = ['stopped', 'run_given_up'];
