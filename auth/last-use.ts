/** Notes when an assistant that OAuth let in called last, so that a person sees which ones are no longer used. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { ApiToken } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';

/** Each note is a commit, and people want to know the day. */
const NOTED_MS = 10 * 60_000;

interface LastUseDeps {
  store: Pick<Store, 'tx' | 'health'>;
  clock: Pick<Clock, 'now'>;
}

/** The answer never throws and is not waited for: a call must not fail or wait because its time cannot be noted. */
export function createLastUse({ store, clock }: LastUseDeps): (token: Readonly<ApiToken>) => void {
  const underWay = new Set<number>();
  return ({ id, oauth }) => {
    const nowMs = clock.now();
    // A clock that was set back notes the earlier time.
    if (oauth === undefined || Math.abs(nowMs - Date.parse(oauth.last_used_at)) < NOTED_MS) return;
    if (underWay.has(id) || !store.health().ok) return;
    underWay.add(id);
    store
      .tx((tx) => {
        const present = tx.get('tokens', id);
        if (present?.oauth === undefined) return;
        tx.put('tokens', { ...present, oauth: { ...present.oauth, last_used_at: toIso(nowMs) } });
      })
      .catch(() => undefined)
      .finally(() => underWay.delete(id));
  };
}
