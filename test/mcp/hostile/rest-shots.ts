/** Requests to the REST door: wrong arguments of every operation, paths, queries, methods, headers, bodies, uploads. */
import { requestOf } from '../../contract/apis.ts';
import { routeOf, type Tool } from '../../../toolkit/tool.ts';
import { hostileName, hostileValue, NO_ID, type Args, type ArgumentMaker } from './arguments.ts';
import type { ToolShot } from './mcp-shots.ts';
import type { Random } from './random.ts';

interface RestShots {
  random: Random;
  tools: readonly Tool[];
  args: ArgumentMaker;
  token: string;
  /** Ids of rows that a request may name when it cannot change them. */
  victims: Readonly<Record<string, number>>;
}

const PREFIX = '/svcapiv2';
const PATHS = [
  '/',
  '/..',
  '/../svcapiv2/channels',
  '/%2e%2e/%2e%2e/etc/passwd',
  '//evil.example/x',
  '/svcapiv2',
  '/svcapiv2/',
  '/svcapiv2//channels',
  '/svcapiv2/channels/',
  '/svcapiv2/channels/1/',
  '/svcapiv2/channels/%00',
  '/svcapiv2/channels/%ff',
  '/svcapiv2/channels/%',
  '/svcapiv2/channels/1%2f2',
  '/svcapiv2/channels/1;x=2',
  '/svcapiv2/channels/-1',
  '/svcapiv2/channels/1e9',
  '/svcapiv2/channels/99999999999999999999',
  '/svcapiv2/CHANNELS',
  '/svcapiv2/__proto__',
  '/svcapiv2/constructor/1',
  `/svcapiv2/channels/1/../${NO_ID}`,
  '/svcapiv2/assets/..%2f..%2fetc%2fpasswd?fileType=files',
  '/svcapiv2/assets/%2e%2e?fileType=files',
  '/svcapiv2/assets/x?fileType=../../etc',
  '/svcapiv2/assets/a%00.png?fileType=logos',
  '/svcapiv2/schedules/1/enable',
  '/svcapiv2/' + 'a/'.repeat(2000),
  '/watch/..%2findex.html',
  '/downloads/../../x',
  '/metrics/..',
  '/.git/config',
  '/openapi.json/',
  '/mcp/',
  '/mcp/x',
  '/healthz?x=' + 'y'.repeat(8000),
  '/svcapiv2/recordings/1/download?expires=1&signature=x',
  '/svcapiv2/system/info/download/../../x',
  '/\ud83d\ude00'.replace(/./gu, encodeURIComponent),
];
const QUERIES = [
  'page=0',
  'page=-1',
  'page=999999999999',
  'page=1e9',
  'page=NaN',
  'pageSize=0',
  'pageSize=501',
  'pageSize=-1',
  'sort=__proto__',
  'sort=-',
  'sort=password_hash',
  'sort=token_hash',
  'fields=__proto__',
  'fields=token_hash',
  'fields=password_hash',
  'fields=,',
  'fields=' + 'a,'.repeat(3000),
  'search=%00',
  'search=%ff%fe',
  'search=' + '('.repeat(3000),
  'search=(a%2b)%2b%24',
  'a[b]=1',
  '%',
  '%zz',
  'page=1&page=2',
  '__proto__=1',
  '__proto__[x]=1',
  'constructor=1',
  'x'.repeat(6000),
  '&'.repeat(3000),
  '=',
  '?',
  'fileType=constructor',
  'token=x',
  'access_token=x',
  'from=tomorrow',
  'from=2026-02-30T00:00:00Z&to=x',
];
const HEADERS: readonly Record<string, string>[] = [
  { 'if-match': '*' },
  { 'if-match': 'garbage' },
  { 'if-match': '"99999999999999999999"' },
  { 'if-match': 'W/"x", "2"' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'x'.repeat(256) },
  { 'idempotency-key': '\u00e9' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'multipart/form-data; boundary=' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, gzip' },
  { range: 'bytes=9-1' },
  { range: 'bytes=0-,0-,0-' },
  { accept: 'text/html' },
  { accept: 'x' },
  { 'x-request-id': 'x'.repeat(200) },
  { 'x-request-id': '\u00ff' },
  { origin: 'http://evil.example' },
  { cookie: 'onair_session=x' },
  { 'x-csrf-token': 'x' },
  { 'x-onair-via': '__proto__' },
  { 'x-http-method-override': 'DELETE' },
  { 'transfer-encoding': 'identity' },
  { expect: '100-continue' },
  { te: 'trailers' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-host': 'evil.example' },
  { connection: 'close, authorization' },
];
const BODIES = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '1',
  '{"a":1,"a":2}',
  '{"__proto__":{"user_role":1}}',
  '\ufeff{}',
  '['.repeat(10_000),
  '{"a":'.repeat(10_000),
  'x'.repeat(1000),
  '{"name":"\\ud800"}',
  '{"name":"x"}garbage',
  `{"name":"${'x'.repeat(900_000)}"}`,
  `{"name":"${'x'.repeat(1_100_000)}"}`,
  `{"${'k'.repeat(900_000)}":1}`,
  `[${'1,'.repeat(400_000)}1]`,
  `{"elements":[${'"a",'.repeat(15_000)}"a"]}`,
  `{"x":0${Array.from({ length: 15_000 }, (_, at) => `,"f${at}":1`).join('')}}`,
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"name":"x"}', 'utf16le'),
  Buffer.alloc(500),
];
const NAMES = [
  '../../etc/passwd',
  '..',
  '.',
  '/etc/passwd',
  'a/b.png',
  'a\\b.png',
  '.hidden',
  'a\u0000.png',
  '%2e%2e%2fx.png',
  'x'.repeat(300) + '.png',
  'con.png',
  'a.png\r\nX: 1',
  '\u202egnp.exe',
  '',
  ' ',
  '-rf.png',
  '$(id).png',
  '~/.ssh/x',
];

export function createRestShots({ random, tools, args, token, victims }: RestShots): { next(): ToolShot } {
  const authorization = `Bearer ${token}`;
  const json = { authorization, 'content-type': 'application/json' };

  function wrongCall(): ToolShot {
    const tool = random.pick(tools);
    const { path, body } = requestOf(tool, sayable(tool, args.hostile(tool)));
    const headers = body === undefined ? { authorization } : json;
    return {
      kind: 'a call',
      method: methodOf(tool),
      path: sendable(`${PREFIX}${path}`),
      headers,
      tool,
      ...(body !== undefined && { body }),
    };
  }

  /** Reads that must not change anything. */
  function stale(): ToolShot {
    const named = tools.filter(
      (tool) => ['update', 'delete'].includes(tool.effect) && routeOf(tool).params.some((name) => name in victims),
    );
    const tool = random.pick(named);
    const { path, body } = requestOf(tool, { ...args.valid(tool), ...victims });
    const headers = { ...(body === undefined ? { authorization } : json), 'if-match': '"987654321"' };
    return {
      kind: 'a stale version',
      method: methodOf(tool),
      path: `${PREFIX}${path}`,
      headers,
      ...(body !== undefined && { body }),
    };
  }

  function upload(): ToolShot {
    const boundary = random.pick(['x', 'x'.repeat(70), '"', "a'b", '']);
    const name = random.pick(NAMES);
    const part = (head: string, content: string): string => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`;
    const file = part(
      `Content-Disposition: form-data; name="${random.pick(['file', 'file', 'x', '__proto__', 'fileType'])}"; filename="${name}"\r\nContent-Type: image/png`,
      'not a picture',
    );
    const type = part(
      'Content-Disposition: form-data; name="fileType"',
      random.pick(['logos', 'files', '../x', '__proto__', '']),
    );
    const body =
      random.pick([file + type, type + file, file, type, file + file, type.repeat(50), 'garbage', file.slice(0, 60)]) +
      random.pick([`--${boundary}--\r\n`, '', `--${boundary}`]);
    return {
      kind: 'an upload',
      method: 'POST',
      path: `${PREFIX}/assets`,
      headers: { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: Buffer.from(body),
    };
  }

  function text(): ToolShot {
    const name = random.pick(NAMES);
    const body = JSON.stringify({
      fileType: random.pick(['logos', 'files', 'clips', 'x']),
      filename: name,
      content_base64: random.pick(['', 'x', '====', 'iVBORw0KGgo=', '!'.repeat(1000)]),
    });
    return { kind: 'an upload as a text', method: 'POST', path: `${PREFIX}/assets`, headers: json, body };
  }

  return {
    next() {
      const way = random.below(100);
      const channels = { method: 'GET', path: `${PREFIX}/channels`, headers: { authorization } };
      if (way < 50) return wrongCall();
      if (way < 58)
        return {
          ...channels,
          kind: 'a path',
          path: random.pick(PATHS),
          method: random.pick(['GET', 'GET', 'POST', 'DELETE']),
        };
      if (way < 67) {
        const list = random.pick(tools.filter((tool) => routeOf(tool).method === 'GET'));
        const { path } = requestOf(list, args.valid(list));
        return {
          ...channels,
          kind: 'a query',
          path: `${path.includes('?') ? `${PREFIX}${path}&` : `${PREFIX}${path}?`}${random.pick(QUERIES)}`,
        };
      }
      if (way < 72)
        return {
          ...channels,
          kind: 'a method',
          method: random.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'QUERY', 'LINK']),
        };
      if (way < 79)
        return {
          kind: 'a header',
          method: 'PUT',
          path: `${PREFIX}/channels/${NO_ID}`,
          headers: { ...json, ...random.pick(HEADERS) },
          body: '{}',
        };
      if (way < 87) {
        const method = random.pick(['POST', 'PUT']);
        const path = random.pick([
          '/channels',
          `/channels/${NO_ID}`,
          '/devices/groups',
          '/livestreams',
          '/security/login',
        ]);
        const tool = tools.find(({ rest }) => rest === `${method} ${path}`);
        return { kind: 'a body', method, path: `${PREFIX}${path}`, headers: json, body: random.pick(BODIES), tool };
      }
      if (way < 91) return stale();
      if (way < 94) return upload();
      if (way < 96) return text();
      return {
        kind: 'an unknown name',
        tool: tools.find(({ name }) => name === 'addEncoding'),
        method: 'POST',
        path: `${PREFIX}/encodings`,
        headers: json,
        body: JSON.stringify({ name: `twin-${random.below(1e9)}`, [hostileName(random)]: hostileValue(random) }),
      };
    },
  };
}

/** Outside of a body all is text: an object is its JSON. */
function sayable(tool: Tool, args: Args): Args {
  const takesBody = !['GET', 'DELETE'].includes(methodOf(tool));
  const { params } = routeOf(tool);
  const output = Object.entries(args).map(([name, value]) => {
    const isText = takesBody && !params.includes(name);
    return [name, isText || typeof value !== 'object' ? value : JSON.stringify(value)] as const;
  });
  return Object.fromEntries(output);
}

function methodOf(tool: Tool): string {
  return routeOf(tool).method;
}

/** A request line that is longer goes nowhere: the server's own bound on it has a shot of its own. */
function sendable(path: string): string {
  return path.slice(0, 12_000);
}
