/** What the page shows: it stays while somebody looks at another page. */
import { computed, signal } from '@preact/signals';
import { moment } from '../../../live/clock.ts';
import type { First } from '../../../resource/open-form.ts';
import { shownZone } from '../../../shown-zone.ts';
import { isNarrow } from '../../../ui/narrow.ts';
import { dayStart, dayStarts, movedByDays } from './days.ts';
import type { OccurrenceRow, ScheduleRow } from './occurrences.ts';

export const VIEWS = ['rundown', 'week', 'list'] as const;
export type View = (typeof VIEWS)[number];

const chosenView = signal<View | undefined>(undefined);

export const view = computed((): View => chosenView.value ?? (isNarrow.value ? 'list' : 'rundown'));
export function showView(next: View): void {
  chosenView.value = next;
}

/** How much time the rundown shows, the least first. */
export const ZOOMS = ['1h', '6h', '1d', '3d', '7d', '28d'] as const;
export type Zoom = (typeof ZOOMS)[number];

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
const DAYS: Readonly<Record<Zoom, number>> = { '1h': 0, '6h': 0, '1d': 1, '3d': 3, '7d': 7, '28d': 28 };
const SPAN_MS: Partial<Record<Zoom, number>> = { '1h': HOUR_MS, '6h': 6 * HOUR_MS };

const chosenZoom = signal<Zoom>('7d');
export const zoom = computed((): Zoom => (view.value === 'rundown' ? chosenZoom.value : '7d'));
export const search = signal('');
export const stateFilter = signal<'' | OccurrenceRow['state']>('');

const MINUTE_MS = 60_000;
/** The server's time in whole minutes: all lines are laid out anew when it moves. */
export const minute = computed(() => Math.floor(moment.value / MINUTE_MS) * MINUTE_MS);

/** The beginning of the shown time, or its day; undefined: by the present, and it goes on with it. */
const anchor = signal<number | undefined>(undefined);
const today = computed(() => dayStart(moment.value, shownZone.value));

export const firstDay = computed(() => dayStart(anchor.value ?? moment.value, shownZone.value));
export const isToday = computed(
  () => anchor.value === undefined || (DAYS[zoom.value] > 0 && firstDay.value === today.value),
);

/** Begins of what is shown and its end: its days, or its first and its last instant. */
export const shown = computed((): number[] => {
  const spanMs = SPAN_MS[zoom.value];
  if (spanMs === undefined) return dayStarts(firstDay.value, shownZone.value, DAYS[zoom.value]);
  const from = anchor.value ?? beganBefore(minute.value, spanMs);
  return [from, from + spanMs];
});

/** A quarter of the span, or less of it, lies before the instant. */
function beganBefore(instant: number, spanMs: number): number {
  const gridMs = spanMs > HOUR_MS ? HOUR_MS : QUARTER_MS;
  return Math.ceil((instant - spanMs / 4) / gridMs) * gridMs;
}

export function go(direction: -1 | 1): void {
  const spanMs = SPAN_MS[zoom.peek()];
  anchor.value =
    spanMs === undefined
      ? movedByDays(firstDay.peek(), shownZone.peek(), direction * DAYS[zoom.peek()])
      : shown.peek()[0]! + direction * spanMs;
}
export function goToday(): void {
  anchor.value = undefined;
}

/** The chosen occurrence stays in view, or the present, or the first instant. */
export function showZoom(next: Zoom): void {
  const [from, to] = [shown.peek()[0]!, shown.peek().at(-1)!];
  const isIn = (at: number): boolean => at >= from && at < to;
  const chosenAt = chosen.peek()?.occurrence?.startMs;
  const isChosenIn = chosenAt !== undefined && isIn(chosenAt);
  const spanMs = SPAN_MS[next];
  const at = isChosenIn ? chosenAt : isIn(minute.peek()) ? undefined : from;
  if (spanMs !== undefined) anchor.value = at === undefined ? undefined : beganBefore(at, spanMs);
  else if (DAYS[next] < DAYS[chosenZoom.peek()] || SPAN_MS[chosenZoom.peek()] !== undefined) anchor.value = at;
  chosenZoom.value = next;
}

/** A week before, and what is shown with a week after it. */
export const loaded = computed(() => ({
  from: movedByDays(firstDay.value, shownZone.value, -7),
  to: movedByDays(firstDay.value, shownZone.value, Math.max(7, DAYS[zoom.value]) + 7),
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
