/** The time zone that instants are shown in: the station's, this machine's, or UTC. */
import { computed, signal } from '@preact/signals';
import { timeZoneChoice } from './prefs.ts';

const mine = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The server's own zone, once its feed has named it. */
export const stationZone = signal(mine);

export const shownZone = computed((): string => {
  if (timeZoneChoice.value === 'utc') return 'UTC';
  return timeZoneChoice.value === 'mine' ? mine : stationZone.value;
});
