/** Notes when an assistant that OAuth let in called last. */
import type { ApiToken } from '../domain/shapes/installation/security.ts';
import { createUseNotes, type UseNotesDeps } from './use-notes.ts';

export function createLastUse(deps: UseNotesDeps): (token: Readonly<ApiToken>) => void {
  const noteUse = createUseNotes(deps, (tx, id, at) => {
    const present = tx.get('tokens', id);
    if (present?.oauth !== undefined) tx.put('tokens', { ...present, oauth: { ...present.oauth, last_used_at: at } });
  });
  return ({ id, oauth }) => {
    if (oauth !== undefined) noteUse(id, oauth.last_used_at);
  };
}
