/** What the page shows: it stays while somebody looks at another page. */
import { computed, signal } from '@preact/signals';
import { moment } from '../../../live/clock.ts';
import type { First } from '../../../resource/open-form.ts';
import { shownZone } from '../../../shown-zone.ts';
import { isNarrow } from '../../../ui/narrow.ts';
import { dayStart, movedByDays } from './days.ts';
import type { OccurrenceRow, ScheduleRow } from './occurrences.ts';

export const VIEWS = ['rundown', 'week', 'list'] as const;
export type View = (typeof VIEWS)[number];

const chosenView = signal<View | undefined>(undefined);

export const view = computed((): View => chosenView.value ?? (isNarrow.value ? 'list' : 'rundown'));
export function showView(next: View): void {
  chosenView.value = next;
}

export const dayCount = signal<'1' | '3' | '7'>('7');
export const search = signal('');
export const stateFilter = signal<'' | OccurrenceRow['state']>('');

const MINUTE_MS = 60_000;
/** The server's time in whole minutes: all lines are laid out anew when it moves. */
export const minute = computed(() => Math.floor(moment.value / MINUTE_MS) * MINUTE_MS);

/** Days after today of the first day shown. */
const daysAway = signal(0);
const today = computed(() => dayStart(moment.value, shownZone.value));

export const firstDay = computed(() => movedByDays(today.value, shownZone.value, daysAway.value));
export const isToday = computed(() => daysAway.value === 0);
export function goDays(by: number): void {
  daysAway.value += by;
}
export function goToday(): void {
  daysAway.value = 0;
}

/** Three weeks around the first day. */
export const loaded = computed(() => ({
  from: movedByDays(firstDay.value, shownZone.value, -7),
  to: movedByDays(firstDay.value, shownZone.value, 14),
}));

/** What the region shows: an occurrence, or a Schedule that has none because it is paused. */
export type Chosen = { scheduleId: number; occurrence?: OccurrenceRow | undefined };
export const chosen = signal<Chosen | undefined>(undefined);

export type Open =
  | {
      kind: 'add';
      seed?: Partial<ScheduleRow>;
      first?: (() => Promise<First>) | undefined;
      then?: ((row: ScheduleRow) => Promise<void>) | undefined;
    }
  | { kind: 'edit'; scheduleId: number; times?: { start: string; end: string } | undefined }
  | { kind: 'action'; actionId: number; stream: string; moved?: { from: string; to: string } | undefined }
  | { kind: 'add-action'; livestreamId: number; stream: string; at: string }
  | { kind: 'move'; occurrence: OccurrenceRow; times: { start: string; end: string } };
export const open = signal<Open | undefined>(undefined);
