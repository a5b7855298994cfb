/** The client that types.d.ts declares. It runs in Node 20 and in browsers, and imports nothing outside this folder. */
import { OnairProblem, problemOf, unreachable } from './onair-problem.ts';
import { OPERATIONS, requestOf, type Fields, type OperationId } from './request.ts';
import type { CallOptions, Client, ClientOptions, createClient as declared } from './types.d.ts';

export { OnairProblem };

export const createClient: typeof declared = ({ url, token, fetch = globalThis.fetch }: ClientOptions): Client => {
  // A proxy may serve it below any path.
  const root = new URL(url).href.replace(/[?#].*$/u, '').replace(/\/+$/u, '');
  const methods = (Object.keys(OPERATIONS) as OperationId[]).map((operationId) => {
    const call = async (args: Fields = {}, { signal, headers }: CallOptions = {}): Promise<unknown> => {
      const { method, place, body } = requestOf(operationId, args);
      const init: RequestInit = {
        method,
        headers: {
          Accept: 'application/json, */*;q=0.1',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        // What is sent may hold stream keys: it goes to this address alone.
        redirect: 'error',
        ...(body !== undefined && { body }),
        ...(signal != null && { signal }),
      };
      const response = await fetch(`${root}${place}`, init).catch((cause: unknown) => {
        throw signal?.aborted === true ? cause : unreachable(root, cause);
      });
      return answerOf(response);
    };
    return [operationId, call];
  });
  return Object.fromEntries(methods) as Client;
};

async function answerOf(response: Response): Promise<unknown> {
  if (!response.ok) throw await problemOf(response);
  const type = response.headers.get('Content-Type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  return type.startsWith('text/plain') ? response.text() : response;
}
