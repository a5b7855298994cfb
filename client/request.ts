/** A call by its operationId as a request of HTTP. */
import { OPERATIONS, type OperationId } from './gen/operations.ts';

export { OPERATIONS, type OperationId };
export type Fields = Readonly<Record<string, unknown>>;

export interface CallRequest {
  method: string;
  /** Path and query from the root of the service. */
  place: string;
  /** Text is JSON. A read and a deletion have none. */
  body?: string | FormData;
}

/**
 * Splits the flat arguments: the path takes those that it names, the query the others of a read or a deletion, the body all others. Throws
 * TypeError where one of the path is missing.
 */
export function requestOf(operation: OperationId, args: Fields): CallRequest {
  const { method, path } = OPERATIONS[operation];
  const others = new Map(Object.entries(args).filter(([, value]) => value !== undefined));
  const place = path.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = others.get(name);
    others.delete(name);
    if (value === undefined || value === '') throw new TypeError(`The argument ${name} is missing; ${path} needs it.`);
    return encodeURIComponent(String(value));
  });
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams([...others].map(([name, value]): [string, string] => [name, String(value)]));
    return { method, place: others.size === 0 ? place : `${place}?${query.toString()}` };
  }
  const hasFile = [...others.values()].some((value) => value instanceof Blob);
  return { method, place, body: hasFile ? formOf(others) : JSON.stringify(Object.fromEntries(others)) };
}

function formOf(fields: ReadonlyMap<string, unknown>): FormData {
  const form = new FormData();
  // The service takes fields before the file that they are about.
  const isFile = ([, value]: [string, unknown]): boolean => value instanceof Blob;
  for (const [name, value] of [...fields].filter((entry) => !isFile(entry)))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  for (const [name, value] of [...fields].filter(isFile)) form.append(name, value as Blob);
  return form;
}
