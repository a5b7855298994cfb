/** The state of each Live stream that is not off, computed once a second for header, title and announcements. */
import { computed } from '@preact/signals';
import type { StateName } from '../live/health.ts';
import { healthOfStream, streamIds, streamSignal } from '../live/streams.ts';
import type { StreamState } from './state-changes.ts';

export const streamStates = computed((): readonly StreamState[] =>
  streamIds.value.flatMap((id) => {
    const status = streamSignal(id)?.value.status;
    const health = healthOfStream(id);
    if (status === undefined || health === undefined) return [];
    return [{ id, name: status.name, isOnAir: status.status === 2, state: health.state }];
  }),
);

export interface Summary {
  onAir: number;
  failing: number;
  warning: number;
  starting: number;
  unknown: number;
}

export const summary = computed((): Summary => {
  const count = (...wanted: StateName[]): number =>
    streamStates.value.filter(({ state }) => wanted.includes(state)).length;
  return {
    onAir: streamStates.value.filter(({ isOnAir }) => isOnAir).length,
    failing: count('failing', 'failed'),
    warning: count('warning'),
    starting: count('starting'),
    unknown: count('unknown'),
  };
});
