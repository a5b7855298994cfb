/** Frames, parameters, names and headers that the MCP door is not meant to be sent. */

/** Lists in lists. */
export const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** Bodies that are no call, as they are sent. */
export const FRAMES: readonly string[] = [
  '', ' ', 'null', 'true', '0', '"x"', '{}', '[]', '[[]]', '[null]', '[1,2]', '{', '{"jsonrpc":', '\ufeff{}', "{'jsonrpc':'2.0'}", 'NaN', '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":2,"id":1,"method":"ping"}', '{"id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":[1],"method":"ping"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', '{"jsonrpc":"2.0","id":true,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":5}', '{"jsonrpc":"2.0","id":1,"method":null}', '{"jsonrpc":"2.0","id":1,"method":""}', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call/../list"}', '{"jsonrpc":"2.0","id":1,"method":"ping","params":5}', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"__proto__":{"x":1}}}}',
  '{"jsonrpc":"2.0","id":7,"result":{}}', '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}', '{"jsonrpc":"2.0","id":7,"error":5}',
  '{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"x"}}', '{"jsonrpc":"2.0","method":"ping"}', '{"jsonrpc":"2.0","method":"tools/call"}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled"}', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99999}}', '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"x"}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized","params":null}', '{"jsonrpc":"2.0","id":1,"method":"initialize"}', '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}',
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1900-01-01","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}',
  '{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}', '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"onair://livestreams/status"}}', '{"jsonrpc":"2.0","id":1,"method":"tasks/list"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}',
]; // prettier-ignore

export const PARAMS: readonly unknown[] = [
  undefined, null, 5, 'x', [], {}, { name: 5 }, { name: null }, { name: '' }, { name: {} }, { name: '__proto__' }, { name: 'constructor' }, { name: 'call_tool' },
  { name: 'getAllChannels', arguments: [] }, { name: 'getAllChannels', arguments: 'x' }, { name: 'getAllChannels', arguments: null }, { name: 'getAllChannels', arguments: 5 },
  { name: 'getAllChannels', task: {} }, { name: 'getAllChannels', task: { ttl: -1 } }, { name: 'getAllChannels', _meta: null }, { name: 'getAllChannels', _meta: [] },
  { name: 'call_tool', arguments: { operationId: 'call_tool', arguments: {} } }, { name: 'call_tool', arguments: { operationId: 5 } }, { name: 'call_tool', arguments: { operationId: 'addChannel', arguments: '{' } },
  { name: 'call_tool', arguments: { operationId: 'getAllChannels', name: 'deleteChannel' } }, { name: 'call_tool', arguments: { operationId: 'addChannel', arguments: nested(10_000) } },
  { name: 'call_tool', arguments: { operationId: 'x'.repeat(5000) } }, { name: 'x'.repeat(100_000) }, { name: 'search_tools', arguments: {} }, { name: 'search_tools', arguments: { query: '' } },
]; // prettier-ignore
export const QUERIES: readonly unknown[] = [
  '(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(200), 'a'.repeat(5000), 'ab '.repeat(66), '.*'.repeat(90), '\u0000', '\ud800', '\u202e', '[', '*', '__proto__', 'constructor',
  '../../etc/passwd', '"'.repeat(150), '\\'.repeat(199), 'é̂́'.repeat(60), '𝔤𝔬 𝔩𝔦𝔳𝔢', {}, [], 5, null,
]; // prettier-ignore
export const URIS: readonly unknown[] = [
  'file:///etc/passwd', 'onair://../../etc/passwd', 'onair://livestreams/../users/status', 'onair://livestreams/%2e%2e/status', 'onair://livestreams/1e3/status', 'onair://livestreams/-1/status',
  'onair://livestreams/99999999999999999999/status', 'onair://openapi.json?x=1', 'onair://openapi.json/../x', 'http://169.254.169.254/', 'onair://', '', 'onair://livestreams/\u0000/status',
  'onair://' + 'x'.repeat(50_000), 'javascript:alert(1)', '\\\\host\\share', 5, null, {}, ['onair://openapi.json'],
]; // prettier-ignore
export const METAS: readonly unknown[] = [
  { progressToken: {} }, { progressToken: [] }, { progressToken: null }, { progressToken: true }, { progressToken: 1.5 }, { progressToken: 2 ** 53 }, { progressToken: '' },
  { progressToken: 'x'.repeat(10_000) }, { progressToken: '__proto__' }, { idempotencyKey: 5 }, { idempotencyKey: '' }, { idempotencyKey: 'x'.repeat(256) }, { idempotencyKey: '\u0000' },
  { idempotencyKey: {} }, { ifMatch: 5 }, { ifMatch: 'garbage' }, { ifMatch: '"1", "2"' }, { __proto__: null, constructor: 1 },
]; // prettier-ignore

const oneOf = (name: string, values: readonly string[]): Record<string, string>[] =>
  values.map((value) => ({ [name]: value }));
export const HEADERS: readonly Record<string, string | string[]>[] = [
  ...oneOf('content-type', ['', 'text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'application/json; charset=nonsense', 'application/jsonx', 'json', '*/*', 'application/json, text/plain']),
  ...oneOf('content-encoding', ['gzip', 'br', 'deflate', 'x-gzip, identity', 'nonsense']),
  ...oneOf('accept', ['', '*/*', 'text/html', 'application/json', 'text/event-stream', 'application/json;q=0, text/event-stream;q=0']),
  ...oneOf('origin', ['null', 'http://evil.example', 'http://127.0.0.1.evil.example', 'http://evil.example@127.0.0.1x', 'file://', 'http://', 'x', 'http://localhost.evil', 'chrome-extension://x', 'http://[::1']),
  ...oneOf('host', ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:80', '169.254.169.254', 'xn--80ak6aa92e.example', '0.0.0.0.example']),
  ...oneOf('mcp-protocol-version', ['', '1', '9999-01-01', '2026-07-28', '2024-11-05x', '../2025-11-25', 'x'.repeat(5000)]),
  ...oneOf('mcp-session-id', ['', 'x', 'x'.repeat(4000), '__proto__', '../../x']),
  ...oneOf('x-onair-profile', ['', 'nobody', '__proto__', 'constructor', 'full, readonly', 'x'.repeat(2000)]),
  ...oneOf('x-request-id', ['', 'a b', 'x'.repeat(129), '../x', '<script>']),
  ...oneOf('authorization', ['', 'Bearer', 'Bearer ', 'Bearer x', 'Basic eDp5', 'bearer  x', 'Bearer null', 'Bearer undefined', 'Bearer ' + 'x'.repeat(600), 'Bearer ' + 'x'.repeat(7000), 'Digest x', 'Bearer a,Bearer b', 'onair_x']),
  ...oneOf('last-event-id', ['1', '../x']), ...oneOf('x-forwarded-for', ['127.0.0.1', 'x']), ...oneOf('x-http-method-override', ['DELETE']),
  { 'mcp-protocol-version': ['2025-11-25', '2026-07-28'] }, { accept: ['application/json', 'text/event-stream'] }, { cookie: 'onair_session=x; onair_session=y' },
]; // prettier-ignore
