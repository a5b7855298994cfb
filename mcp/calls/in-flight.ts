/**
 * Calls that run, by who would cancel them. A cancellation is a POST of its own, and finds its call here. Request ids repeat between
 * clients: the session id, which the server hands out and otherwise ignores, keeps two clients with one token apart.
 */
import type { Caller } from '../../domain/security.ts';

export interface InFlight {
  /** Runs `task` with a signal that `cancel` aborts; without a key with the one that is `given`. */
  run<T>(key: string | undefined, given: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  cancel(key: string | undefined): void;
}

const MAX_SESSION_ID = 128;

/** undefined for a client without a session id: its calls cannot be told apart from another's, so none is cancelled. */
export function callKey(caller: Caller, sessionId: string | null, requestId: string | number): string | undefined {
  if (sessionId === null || sessionId.length > MAX_SESSION_ID) return undefined;
  return JSON.stringify([caller.userId, caller.tokenKid, sessionId, requestId]);
}

export function createInFlight(): InFlight {
  const running = new Map<string, AbortController>();
  return {
    async run(key, given, task) {
      if (key === undefined) return task(given);
      const controller = new AbortController();
      running.set(key, controller);
      try {
        return await task(controller.signal);
      } finally {
        if (running.get(key) === controller) running.delete(key);
      }
    },
    cancel(key) {
      if (key !== undefined) running.get(key)?.abort();
    },
  };
}
