/** The client that types.d.ts declares. It runs in Node 20 and in browsers, and imports nothing outside this folder. */
import { REQUESTS } from './gen/requests.ts';
import { OnairProblem, problemOf, unreachable } from './onair-problem.ts';
import type { CallOptions, Client, ClientOptions, createClient as declared } from './types.d.ts';

export { OnairProblem };

type Fields = Record<string, unknown>;

export const createClient: typeof declared = ({ url, token, fetch = globalThis.fetch }: ClientOptions): Client => {
  // A proxy may serve it below any path.
  const root = new URL(url).href.replace(/[?#].*$/u, '').replace(/\/+$/u, '');
  const methods = Object.entries(REQUESTS).map(([operationId, request]) => {
    const [method = '', path = ''] = request.split(' ');
    const call = async (args: Fields = {}, { signal, headers }: CallOptions = {}): Promise<unknown> => {
      const { place, body } = requestOf(method, path, args);
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

/** Splits the flat arguments: the path takes those that it names, the query the others of a read or a deletion, the body all others. */
function requestOf(method: string, path: string, args: Fields): { place: string; body?: string | FormData } {
  const others = new Map(Object.entries(args).filter(([, value]) => value !== undefined));
  const place = path.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = others.get(name);
    others.delete(name);
    if (value === undefined || value === '') throw new TypeError(`The argument ${name} is missing; ${path} needs it.`);
    return encodeURIComponent(String(value));
  });
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams([...others].map(([name, value]): [string, string] => [name, String(value)]));
    return { place: others.size === 0 ? place : `${place}?${query.toString()}` };
  }
  if (![...others.values()].some((value) => value instanceof Blob))
    return { place, body: JSON.stringify(Object.fromEntries(others)) };
  const form = new FormData();
  // The service takes fields before the file that they are about.
  const isFile = ([, value]: [string, unknown]): boolean => value instanceof Blob;
  const fields = [...others].filter((entry) => !isFile(entry));
  for (const [name, value] of fields)
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  for (const [name, value] of [...others].filter(isFile)) form.append(name, value as Blob);
  return { place, body: form };
}

async function answerOf(response: Response): Promise<unknown> {
  if (!response.ok) throw await problemOf(response);
  const type = response.headers.get('Content-Type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  return type.startsWith('text/plain') ? response.text() : response;
}
