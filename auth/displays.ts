/** Finds the display link behind a token. The row is read anew each time, so a revocation is in force at once. */
import { assertKnown } from './stale-rows.ts';
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { Store } from '../domain/ports/store.ts';
import type { DisplayLink } from '../domain/shapes/broadcasts/wall.ts';
import { hashToken } from '../domain/shapes/installation/security.ts';

/** Each note is a commit, and people want to know whether a screen is on. */
const NOTED_MS = 10 * 60_000;

export interface Displays {
  /**
   * Resolves with the link of the token; undefined when it is of no link that is in force. Rejects with AppError unavailable when that is
   * not known.
   */
  find(token: string): Promise<Readonly<DisplayLink> | undefined>;
}

export interface DisplayDeps {
  store: Pick<Store, 'find' | 'tx' | 'health' | 'staleMs'>;
  clock: Pick<Clock, 'now'>;
}

const TOKEN = /^onairdisplay_[0-9a-f]{12}_[\w-]{43}$/u;

export function createDisplays({ store, clock }: DisplayDeps): Displays {
  const underWay = new Set<number>();

  /** It is not waited for: a display must not go dark because its time cannot be noted. */
  function noteUse({ id, last_seen_at }: Readonly<DisplayLink>): void {
    const nowMs = clock.now();
    // A clock that was set back notes the earlier time.
    if (last_seen_at !== null && Math.abs(nowMs - Date.parse(last_seen_at)) < NOTED_MS) return;
    if (underWay.has(id) || !store.health().ok) return;
    underWay.add(id);
    store
      .tx((tx) => {
        const present = tx.get('displayLinks', id);
        if (present !== undefined) tx.put('displayLinks', { ...present, last_seen_at: toIso(nowMs) });
      })
      .catch(() => undefined)
      .finally(() => underWay.delete(id));
  }

  return {
    async find(token) {
      if (!TOKEN.test(token)) return undefined;
      assertKnown(store.staleMs());
      // The lookup is by hash: a timing attack could learn a prefix of a hash, which is no prefix of a token.
      const [link] = (await store.find('displayLinks', { where: { token_hash: hashToken(token) }, limit: 1 })).rows;
      if (link !== undefined) noteUse(link);
      return link;
    },
  };
}
