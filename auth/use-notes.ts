/** Notes when a credential was used last, so that a person sees which ones are no longer used. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { Store, Tx } from '../domain/ports/store.ts';

/** Each note is a commit, and people want to know whether it is in use. */
const NOTED_MS = 10 * 60_000;

export interface UseNotesDeps {
  store: Pick<Store, 'tx' | 'health'>;
  clock: Pick<Clock, 'now'>;
}

/**
 * The answer takes the id of a credential and its last use. It never throws and is not waited for: a call must not fail or wait because its
 * time cannot be noted. `note` writes the time into the row, if that is still there.
 */
export function createUseNotes(
  { store, clock }: UseNotesDeps,
  note: (tx: Tx, id: number, at: string) => void,
): (id: number, lastUsedAt: string | null) => void {
  const underWay = new Set<number>();
  return (id, lastUsedAt) => {
    const nowMs = clock.now();
    // A clock that was set back notes the earlier time.
    if (lastUsedAt !== null && Math.abs(nowMs - Date.parse(lastUsedAt)) < NOTED_MS) return;
    if (underWay.has(id) || !store.health().ok) return;
    underWay.add(id);
    store
      .tx((tx) => note(tx, id, toIso(nowMs)))
      // The next use notes its own time.
      .catch(() => undefined)
      .finally(() => underWay.delete(id));
  };
}
