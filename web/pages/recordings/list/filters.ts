/** Filters of the list. They stay while the page is open, so that one comes back to the same list. */
import { computed, signal } from '@preact/signals';
import { instantsOf } from '../../../zone.ts';
import { shownZone } from '../../../shown-zone.ts';
import type { Sort } from '../../../ui/table.tsx';

export const search = signal('');
export const stream = signal<{ id: number; name: string } | undefined>(undefined);
/** `2026-11-23` in the chosen zone; empty: no bound. */
export const fromDay = signal('');
export const toDay = signal('');
export const sort = signal<Sort>({ by: 'started_at', order: 'desc' });

export const isFiltered = computed(
  () => search.value !== '' || stream.value !== undefined || fromDay.value !== '' || toDay.value !== '',
);

/** The first instant of a day; where DST skips midnight it is the first one after it. */
function beginOf(day: string, plusDays: number): string | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined || year < 1970) return undefined;
  const shifted = new Date(Date.UTC(year, month - 1, date + plusDays));
  for (let hour = 0; hour < 4; hour += 1) {
    const wall = {
      year: shifted.getUTCFullYear(),
      month: shifted.getUTCMonth() + 1,
      day: shifted.getUTCDate(),
      hour,
      minute: 0,
      second: 0,
    };
    const [instant] = instantsOf(wall, shownZone.value);
    if (instant !== undefined) return new Date(instant).toISOString();
  }
  return undefined;
}

/** The question to the server; both days are part of it. */
export const question = computed(() => ({
  params: {
    livestreamId: stream.value?.id,
    from: fromDay.value === '' ? undefined : beginOf(fromDay.value, 0),
    to: toDay.value === '' ? undefined : beginOf(toDay.value, 1),
  },
  search: search.value,
  sort: `${sort.value.order === 'desc' ? '-' : ''}${sort.value.by}`,
}));
