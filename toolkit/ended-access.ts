/** A call that took access from somebody is answered when no server that shares the store lets them in any more. */
import type { Store } from '../domain/ports/store.ts';
import type { Call } from './call.ts';

const MAX_SECONDS = 60;
const REPORT_SECONDS = 5;
const WAITING =
  'The access has ended here; the call waits for a server that does not answer, which refuses everybody after 60 s.';

/** Takes some milliseconds, and up to 60 s where a server died or is cut off from the database. */
export async function accessEnded(store: Pick<Store, 'appliedByAll'>, progress: Call['progress']): Promise<void> {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += REPORT_SECONDS;
    progress?.(Math.min(seconds, MAX_SECONDS), MAX_SECONDS, WAITING);
  }, REPORT_SECONDS * 1000);
  try {
    await store.appliedByAll();
  } finally {
    clearInterval(timer);
  }
}
