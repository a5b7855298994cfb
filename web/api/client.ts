/** The typed client of REST: the session's cookie, the CSRF token on changes, and a key under which a change may be sent again. */
import createClient from 'openapi-fetch';
import type { paths } from '../gen/api.d.ts';
import { ProblemError, problemOf } from './problems.ts';
import { forgetSession, session } from './session.ts';

/** Relative to the page, so that a proxy may put both below any path. */
export const API_ROOT = new URL('svcapiv2', document.baseURI).href;
const NETWORK_ATTEMPTS = 3;
const RETRY_MS = 500;

/** 128 random bits. crypto.randomUUID is not there on plain http. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A change that gets no answer is sent again under its key, so that the server makes it once. */
async function send(request: Request): Promise<Response> {
  const isRead = request.method === 'GET';
  if (!isRead) {
    const { csrfToken } = session.value ?? {};
    if (csrfToken !== undefined) request.headers.set('X-CSRF-Token', csrfToken);
    if (!request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', newKey());
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(request.clone());
    } catch (error) {
      if (request.signal.aborted) throw error;
      if (attempt === NETWORK_ATTEMPTS) throw new ProblemError(0, {});
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt));
    }
  }
}

export const client = createClient<paths>({ baseUrl: API_ROOT, fetch: send });
client.use({
  async onResponse({ response }) {
    if (response.ok) return response;
    // A refused sign-in is 401 too, and no session ends by it.
    if (response.status === 401 && !response.url.endsWith('/security/login')) forgetSession();
    throw await problemOf(response);
  },
});
