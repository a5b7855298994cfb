/** Finds the display link behind a token. The row is read anew each time, so a revocation is in force at once. */
import { assertKnown } from './stale-rows.ts';
import type { Store } from '../domain/ports/store.ts';
import type { DisplayLink } from '../domain/shapes/broadcasts/wall.ts';
import { hashToken } from '../domain/shapes/installation/security.ts';
import { createUseNotes, type UseNotesDeps } from './use-notes.ts';

export interface Displays {
  /**
   * Resolves with the link of the token; undefined when it is of no link that is in force. Rejects with AppError unavailable when that is
   * not known.
   */
  find(token: string): Promise<Readonly<DisplayLink> | undefined>;
}

export interface DisplayDeps extends UseNotesDeps {
  store: Pick<Store, 'find' | 'tx' | 'health' | 'staleMs'>;
}

const TOKEN = /^onairdisplay_[0-9a-f]{12}_[\w-]{43}$/u;

export function createDisplays(deps: DisplayDeps): Displays {
  const { store } = deps;
  const noteUse = createUseNotes(deps, (tx, id, at) => {
    const present = tx.get('displayLinks', id);
    if (present !== undefined) tx.put('displayLinks', { ...present, last_seen_at: at });
  });
  return {
    async find(token) {
      if (!TOKEN.test(token)) return undefined;
      assertKnown(store.staleMs());
      // The lookup is by hash: a timing attack could learn a prefix of a hash, which is no prefix of a token.
      const [link] = (await store.find('displayLinks', { where: { token_hash: hashToken(token) }, limit: 1 })).rows;
      if (link !== undefined) noteUse(link.id, link.last_seen_at);
      return link;
    },
  };
}
