/** Changes between two looks at the states of all Live streams. */
import type { StateName } from '../live/health.ts';

export interface StreamState {
  id: number;
  name: string;
  /** Status 2, whatever its health. */
  isOnAir: boolean;
  state: StateName;
}

export interface Change {
  id: number;
  name: string;
  state: StateName;
}

export const isFault = (state: StateName): boolean => state === 'failing' || state === 'failed';

/**
 * A break in which nothing was heard is over: faults that began in it are told, because they last. The other changes are seen on the page, and
 * are not read out as if they happened now.
 */
export function changesOfBreak(before: readonly StreamState[], after: readonly StreamState[]): Change[] {
  return changesBetween(before, after).filter(({ state }) => isFault(state));
}

/** The streams whose state is new; a stream that is no more in the list is off. */
export function changesBetween(before: readonly StreamState[], after: readonly StreamState[]): Change[] {
  const known = new Map(before.map((each) => [each.id, each.state]));
  const present = new Set(after.map(({ id }) => id));
  return [
    ...after.filter(({ id, state }) => known.get(id) !== state).map(({ id, name, state }) => ({ id, name, state })),
    ...before.filter(({ id }) => !present.has(id)).map(({ id, name }) => ({ id, name, state: 'off' as const })),
  ];
}
