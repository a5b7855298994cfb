/** The time zone that instants are shown in. */
import { computed } from '@preact/signals';
import { feed } from './streams.ts';
import { timeZoneChoice } from '../prefs.ts';

export const shownZone = computed((): string => {
  const mine = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (timeZoneChoice.value === 'utc') return 'UTC';
  if (timeZoneChoice.value === 'mine') return mine;
  return feed.value.hello?.timezone ?? mine;
});
