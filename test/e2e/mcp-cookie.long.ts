/** A page that a signed-in operator looks at could send his cookie to the MCP door: there it means nothing. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startService, TOKEN, type Service } from '../helpers/service.ts';

const PASSWORD = 'a password of the tests';
let service: Service;
let cookie: string;
before(async () => {
  service = await startService({ ONAIR_BOOTSTRAP_PASSWORD: PASSWORD });
  const response = await fetch(`${service.url}/svcapiv2/security/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  assert.equal(response.status, 200);
  cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
});
after(() => service.dispose());

const post = (headers: Record<string, string>, meta = {}): Promise<Response> =>
  fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
  });

it('the cookie of a session is good for REST and for nothing at MCP, in either generation', async () => {
  const rest = await fetch(`${service.url}/svcapiv2/livestreams`, { headers: { cookie } });
  assert.equal(rest.status, 200);
  const newer = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  for (const [headers, meta] of [
    [{}, {}],
    [named, newer],
  ] as const) {
    const refused = await post({ cookie, ...headers }, meta);
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer/u);
    assert.equal((await post({ authorization: `Bearer ${TOKEN}`, ...headers }, meta)).status, 200);
  }
});
