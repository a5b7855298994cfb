/** Which Live streams the week shows: those that were chosen, else the first. */
import { signal } from '@preact/signals';

export const MAX_IN_WEEK = 12;
/** undefined: nobody has chosen. It holds until the page is closed. */
export const weekChoice = signal<readonly number[] | undefined>(undefined);

interface Named {
  id: number;
}

/** Those that were deleted are no longer among them. */
export function inWeek<S extends Named>(streams: readonly S[], chosen: readonly number[] | undefined): readonly S[] {
  const found = streams.filter(({ id }) => chosen?.includes(id));
  return (found.length > 0 ? found : streams).slice(0, MAX_IN_WEEK);
}
