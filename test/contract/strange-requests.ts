/** Requests as nobody means them: one thing wrong with arguments that were valid, in the path, the query, the body or a header. */
import fc from 'fast-check';
import { requestOf, type Args } from './apis.ts';
import { routeOf, type Tool } from '../../toolkit/tool.ts';
import { wordsOf } from '../helpers/words.ts';

export interface StrangeRequest {
  path: string;
  /** As it goes out; undefined for none. */
  body: string | undefined;
  headers: Record<string, string>;
}

export type Twist = (tool: Tool, args: Args) => StrangeRequest;

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

/** In the place of a value, at any depth. */
const values = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    0.5,
    1,
    2,
    3,
    999_999_999,
    2 ** 53,
    1e308,
    -1e308,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '‮',
    '../../etc/passwd',
    '****',
    '__proto__',
    'constructor',
    'x'.repeat(300),
    'x'.repeat(100_000),
    [],
    {},
    [null],
    [[[]]],
    nested(5),
    nested(40),
    '1; DROP TABLE',
    '%00',
    '%',
    'http://[::1',
    'file:///etc/passwd',
    '2026-02-30T00:00:00Z',
    Array.from({ length: 2000 }, (_, at) => at),
  ),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.jsonValue({ maxDepth: 3 }),
);
const names = fc.oneof(
  fc.constantFrom(
    ...wordsOf('__proto__ constructor toString hasOwnProperty id created_at'),
    '',
    'a.b',
    'status',
    'x'.repeat(500),
  ),
  fc.string({ maxLength: 20 }),
);
const segments = fc.constantFrom(
  ...wordsOf('0 -1 1.5 1e3 abc 99999999999999999999 %2e%2e ..%2f.. %00 __proto__ 1%20 １ % %ff 1;2'),
  'x'.repeat(3000),
);
const queries = fc.constantFrom(
  ...wordsOf('page=0 page=999999999 page=1e9 pageSize=501 pageSize=-1 sort=__proto__ sort=password_hash'),
  ...wordsOf('fields=token_hash sort=- fields=constructor fields=, fields=* search=%00 search=%ff a[b]=1 %'),
  ...wordsOf('page=1&page=2 search= __proto__=1 fileType=constructor'),
  'x'.repeat(5000),
);
const headers = fc.constantFrom<Record<string, string>>(
  { 'if-match': '*' },
  { 'if-match': '"1"' },
  { 'if-match': 'W/"999"' },
  { 'if-match': 'garbage' },
  { 'if-match': '"99999999999999999999"' },
  { 'idempotency-key': 'the same' },
  { 'idempotency-key': 'x'.repeat(256) },
  { 'content-type': 'text/plain' },
  { 'content-type': '' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data' },
  { 'content-encoding': 'gzip' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'x-request-id': 'x'.repeat(200) },
  { range: 'bytes=9-1' },
  { accept: 'text/html' },
);
const bodies = fc.oneof(
  fc.constantFrom(
    '',
    ...wordsOf('{ [] null "text" 1 {"a":1,"a":2} {"__proto__":{"admin":true}}'),
    '\ufeff{}',
    '['.repeat(5000),
  ),
  fc.json(),
);

/** Each kind of request about as often as the others; as it should be among them. */
export const twists: fc.Arbitrary<Twist> = fc.oneof(
  fc.constant<Twist>((tool, args) => plain(tool, args)),
  fc.tuple(values, fc.nat()).map(
    ([value, at]): Twist =>
      (tool, args) =>
        plain(tool, replaced(args, pathAt(args, at), value)),
  ),
  fc.tuple(values, fc.nat()).map(
    ([value, at]): Twist =>
      (tool, args) =>
        plain(tool, replaced(args, [fieldAt(tool, at)], value)),
  ),
  fc.tuple(names, values).map(
    ([name, value]): Twist =>
      (tool, args) =>
        plain(tool, { ...args, ...own(name, value) }),
  ),
  fc.nat().map(
    (at): Twist =>
      (tool, args) =>
        plain(tool, replaced(args, pathAt(args, at), undefined)),
  ),
  segments.map((segment): Twist => (tool, args) => ({ ...plain(tool, args), path: oddPath(tool, segment) })),
  queries.map((query): Twist => (tool, args) => {
    const request = plain(tool, args);
    return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${query}` };
  }),
  headers.map((header): Twist => (tool, args) => {
    const request = plain(tool, args);
    return { ...request, headers: { ...request.headers, ...header } };
  }),
  bodies.map((body): Twist => (tool, args) => {
    const request = plain(tool, args);
    return request.body === undefined ? request : { ...request, body };
  }),
);

function plain(tool: Tool, args: Args): StrangeRequest {
  const { path, body } = requestOf(tool, args);
  return { path, body, headers: body === undefined ? {} : { 'content-type': 'application/json' } };
}

function oddPath(tool: Tool, segment: string): string {
  return routeOf(tool).path.replace(/\{\w+\}/gu, segment);
}

/** `__proto__` too becomes a property, as JSON.parse makes one. */
function own(name: string, value: unknown): Args {
  return Object.defineProperty({}, name, { value, enumerable: true }) as Args;
}

function fieldAt(tool: Tool, at: number): string {
  const fields = Object.keys(tool.input.shape);
  return fields[at % Math.max(1, fields.length)] ?? 'none';
}

/** One of the places in the arguments, nested ones included. */
function pathAt(args: Args, at: number): string[] {
  const paths: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
  };
  walk(args, []);
  return paths[at % Math.max(1, paths.length)] ?? ['none'];
}

function replaced(args: Args, [head = '', ...rest]: string[], value: unknown): Args {
  const copy = structuredClone(args);
  if (rest.length === 0) {
    if (value === undefined) delete copy[head];
    else copy[head] = value;
    return copy;
  }
  return { ...copy, [head]: replaced(copy[head] as Args, rest, value) };
}
