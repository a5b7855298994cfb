/** How this server asks an issuer for its configuration, and for how long it goes by the answer. */
import * as client from 'openid-client';

export const ISSUER_TIMEOUT_SECONDS = 10;
/** An issuer changes its endpoints and what it supports once in years; its keys are looked up as they are named. */
export const DISCOVERED_MS = 3_600_000;

/** The settings take an issuer at http for this machine alone. */
export function requestsTo(issuer: URL): { execute: ((config: client.Configuration) => void)[]; timeout: number } {
  const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  return { execute, timeout: ISSUER_TIMEOUT_SECONDS };
}

/** Finds at the first call, once for all who wait, and again when the time is over or the last attempt has failed. */
export function rememberedFor<T>(ms: number, find: () => Promise<T>): () => Promise<T> {
  let last: { found: Promise<T>; atMs: number } | undefined;
  return async () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.atMs > ms) last = { found: find(), atMs: nowMs };
    const attempt = last;
    try {
      return await attempt.found;
    } catch (error) {
      if (last === attempt) last = undefined;
      throw error;
    }
  };
}
