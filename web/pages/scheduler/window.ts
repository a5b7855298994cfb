/** The days that are shown, and how. */
import { computed, signal } from '@preact/signals';
import { moment } from '../../live/clock.ts';
import { shownZone } from '../../shown-zone.ts';
import { dayStart } from './days.ts';

export type View = 'rundown' | 'week' | 'list';

/** Rows of a time line have no room on a phone. */
export const view = signal<View>(matchMedia('(max-width: 599px)').matches ? 'list' : 'rundown');
/** How many days the rundown has. */
export const rundownDays = signal<1 | 3 | 7>(3);
/** Days that the window is away from today. */
export const offset = signal(0);

/** The list and the week have seven days. */
export const shownDays = computed(() => (view.value === 'rundown' ? rundownDays.value : 7));

const today = computed(() => dayStart(moment.value, shownZone.value));

/** Milliseconds since 1970; it changes once a day, and when somebody turns the page. */
export const shownFrom = computed(() => dayStart(today.value, shownZone.value, offset.value));
export const shownTo = computed(() => dayStart(shownFrom.value, shownZone.value, shownDays.value));
