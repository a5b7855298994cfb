/** Requests of the page: the session's cookie, the CSRF token on changes, and a key under which a change may be sent again. */
import { requestOf, type CallRequest, type Fields, type OperationId } from '../../client/request.ts';
import { ProblemError, problemOf } from './problems.ts';
import { forgetSession, session } from './session.ts';

/** Relative to the page, so that a proxy may put both below any path. */
const SERVICE = new URL('.', document.baseURI).href.replace(/\/$/u, '');
export const API_ROOT = `${SERVICE}/svcapiv2`;
const NETWORK_ATTEMPTS = 3;
const RETRY_MS = 500;

/** 128 random bits. crypto.randomUUID is not there on plain http. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface PageRequest extends Omit<CallRequest, 'place'> {
  address: string;
  headers: Record<string, string>;
}

/** `headers` are those of this call alone, and stand before the page's own. */
export function requestFor(operation: OperationId, args: Fields, headers: Record<string, string> = {}): PageRequest {
  const { place, ...request } = requestOf(operation, args);
  const { csrfToken } = session.value ?? {};
  return {
    ...request,
    address: `${SERVICE}${place}`,
    headers: {
      ...(typeof request.body === 'string' && { 'Content-Type': 'application/json' }),
      ...(request.method !== 'GET' && {
        ...(csrfToken !== undefined && { 'X-CSRF-Token': csrfToken }),
        'Idempotency-Key': newKey(),
      }),
      ...headers,
    },
  };
}

/** A change that gets no answer is sent again under its key, so that the server makes it once. Rejects with ProblemError. */
export async function send(operation: OperationId, request: PageRequest, signal?: AbortSignal): Promise<Response> {
  const { address, ...init } = request;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(address, { ...init, ...(signal && { signal }) });
      if (response.ok) return response;
      throw await refusalOf(operation, response);
    } catch (error) {
      if (error instanceof ProblemError || signal?.aborted === true) throw error;
      if (attempt === NETWORK_ATTEMPTS) throw new ProblemError(0, {});
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt));
    }
  }
}

/** A refusal of the server as an error; a session that has ended is forgotten. */
export function refusalOf(operation: OperationId, response: Response): Promise<ProblemError> {
  // A refused sign-in is 401 too, and no session ends by it.
  if (response.status === 401 && operation !== 'login') forgetSession();
  return problemOf(response);
}
