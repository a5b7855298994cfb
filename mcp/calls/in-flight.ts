/** The calls that can be cancelled by another POST, which may reach another of the servers that share the store. */
import type { Log } from '../../domain/base/log.ts';
import { hashToken, type Caller } from '../../domain/shapes/installation/security.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { RequestId } from '../rpc.ts';

const MAX_SESSION_ID = 128;
const NOTICE = 'mcp-cancel ';

export interface InFlight {
  /** Runs `task` with a signal that `cancel` aborts; a task without a key gets `signal` itself. */
  run<T>(key: string | undefined, signal: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  cancel(key: string | undefined): void;
}

/**
 * The key by which a cancellation, which is a POST of its own, finds its call. Request ids repeat between clients: the session id, which
 * the server hands out and otherwise ignores, keeps two clients with one token apart. The key is undefined for a client without a session
 * id: its calls could be another client's, so none is cancelled. It is a hash, for it goes through the database.
 */
export function callKey(caller: Caller, sessionId: string | null, requestId: RequestId): string | undefined {
  if (sessionId === null || sessionId.length > MAX_SESSION_ID) return undefined;
  return hashToken(JSON.stringify([caller.userId, caller.tokenKid, sessionId, requestId]));
}

export function createInFlight(
  notices: Pick<Store, 'notify' | 'onNotice'> | undefined,
  log: Log | undefined,
): InFlight {
  const running = new Map<string, AbortController>();
  notices?.onNotice((notice) => {
    if (notice.startsWith(NOTICE)) running.get(notice.slice(NOTICE.length))?.abort();
  });
  return {
    async run(key, signal, task) {
      if (key === undefined) return task(signal);
      const controller = new AbortController();
      running.set(key, controller);
      try {
        return await task(controller.signal);
      } finally {
        if (running.get(key) === controller) running.delete(key);
      }
    },
    cancel(key) {
      if (key === undefined) return;
      const own = running.get(key);
      if (own !== undefined) own.abort();
      else
        notices
          ?.notify(`${NOTICE}${key}`)
          .catch((err: unknown) => log?.warn({ err }, 'MCP cancellation not passed on'));
    },
  };
}
