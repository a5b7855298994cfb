/** Attacks on OAuth at /mcp, each as an attacker would do it. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { CALLBACK, Person, Program, startOAuthSite, type OAuthSite } from '../../app/oauth-site.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let site: OAuthSite;
let person: Person;
let program: Program;

/** Connects the program; the answer has its tokens. */
async function connected(
  change: Record<string, string | string[]> = {},
): Promise<{ access_token: string; refresh_token: string; scope: string }> {
  const callback = await person.allow(program.authorizeUrl(), { profile: 'operator', ...change });
  const { status, body } = await program.exchange(callback.searchParams.get('code')!);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function isIn(token: string): Promise<boolean> {
  const { status } = await program.call(token, 'call_tool', { operationId: 'getAllChannels', arguments: {} });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

/** The answer to a request before anybody has consented; without an address it is a page for the person. */
async function refusal(change: Record<string, string | null>): Promise<{ status: number; location: URL | undefined }> {
  const { response } = await person.get(program.authorizeUrl(change));
  const location = response.headers.get('location');
  return { status: response.status, location: location === null ? undefined : new URL(location) };
}

async function toProgram(change: Record<string, string | null>): Promise<string | null> {
  const { status, location } = await refusal(change);
  assert.equal(status, 302);
  assert.deepEqual(
    [location!.origin + location!.pathname, location!.searchParams.get('state'), location!.searchParams.get('iss')],
    [CALLBACK, 'a state', site.url],
  );
  return location!.searchParams.get('error');
}

describe('OAuth at /mcp', () => {
  before(async () => void (site = await startOAuthSite()));
  after(() => site.close());
  beforeEach(async () => {
    person = new Person(site.url);
    program = new Program(site.url);
    // Each test is an hour of its own for the bounds of registrations.
    site.app.clock.advance(HOUR_MS);
    await program.register();
  });

  it('a refused call of MCP names the metadata, which name the server, which says what it speaks; any page may read them', async () => {
    const refused = await program.call('wrong', 'call_tool');
    assert.equal(refused.status, 401);
    const url = `${site.url}/.well-known/oauth-protected-resource/mcp`;
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer realm="onair", error="invalid_token", resource_metadata="${url}"`,
    );
    const origin = { headers: { origin: 'https://inspector.example' } };
    for (const path of [url, `${site.url}/.well-known/oauth-protected-resource`]) {
      const resource = await fetch(path, origin);
      assert.equal(resource.headers.get('access-control-allow-origin'), '*');
      const { resource: name, authorization_servers: servers } = (await resource.json()) as Record<string, unknown>;
      assert.deepEqual([name, servers], [`${site.url}/mcp`, [site.url]]);
    }
    const server: any = await (await fetch(`${site.url}/.well-known/oauth-authorization-server`, origin)).json();
    assert.equal(server.issuer, site.url);
    assert.deepEqual(server.code_challenge_methods_supported, ['S256']);
    assert.equal(server.authorization_response_iss_parameter_supported, true);
    assert.equal(server.client_id_metadata_document_supported, true);
    for (const path of [
      '/oauth/token',
      '/oauth/register',
      '/oauth/revoke',
      '/.well-known/oauth-authorization-server',
    ]) {
      const preflight = await fetch(site.url + path, { method: 'OPTIONS', ...origin });
      assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*'], path);
    }
    const page = await fetch(`${site.url}/svcapiv2/security/me`, origin);
    assert.equal(page.status, 403, 'what heeds cookies answers pages of its own alone');
  });

  it('an authorization response says who it is from, errors too, so that a client sees a mix-up', async () => {
    const callback = await person.allow(program.authorizeUrl());
    assert.equal(callback.searchParams.get('iss'), site.url);
    const page = await person.open(program.authorizeUrl());
    const declined = new URL((await person.submit(page, { decision: 'deny' })).response.headers.get('location')!);
    assert.deepEqual(
      [declined.searchParams.get('error'), declined.searchParams.get('iss')],
      ['access_denied', site.url],
    );
    assert.equal(await toProgram({ response_type: 'token' }), 'unsupported_response_type');
    assert.equal(await toProgram({ scope: 'other:everything' }), 'invalid_scope');
  });

  it('PKCE is by S256 alone, and a stolen code is worth nothing without its verifier', async () => {
    assert.equal(await toProgram({ code_challenge_method: 'plain' }), 'invalid_request');
    assert.equal(await toProgram({ code_challenge_method: null }), 'invalid_request');
    assert.equal(await toProgram({ code_challenge: null }), 'invalid_request');
    const code = (await person.allow(program.authorizeUrl())).searchParams.get('code')!;
    const thief = new Program(site.url);
    thief.clientId = program.clientId;
    const stolen = await thief.exchange(code);
    assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant']);
    const other = new Program(site.url);
    await other.register();
    assert.equal((await program.exchange(code, { client_id: other.clientId })).body.error, 'invalid_grant');
    assert.equal((await program.exchange(code, { redirect_uri: `${CALLBACK}/` })).body.error, 'invalid_grant');
    assert.equal((await program.exchange(code)).status, 200, 'the tries of others have not ended it');
  });

  it('a code counts once and for a minute; a second use ends what the first one gave', async () => {
    const code = (await person.allow(program.authorizeUrl())).searchParams.get('code')!;
    const { body } = await program.exchange(code);
    assert.ok(await isIn(body.access_token));
    assert.equal((await program.exchange(code)).body.error, 'invalid_grant');
    assert.equal(await isIn(body.access_token), false);
    assert.equal((await program.refresh(body.refresh_token)).body.error, 'invalid_grant');
    const late = (await person.allow(program.authorizeUrl())).searchParams.get('code')!;
    site.app.clock.advance(60_000);
    assert.equal((await program.exchange(late)).body.error, 'invalid_grant');
  });

  it('access to another resource is asked for in vain, at each step', async () => {
    assert.equal(await toProgram({ resource: 'https://other.example/mcp' }), 'invalid_target');
    assert.equal(await toProgram({ resource: site.url }), 'invalid_target');
    const code = (await person.allow(program.authorizeUrl({ resource: `${site.url}/mcp/` }))).searchParams.get('code')!;
    assert.equal(
      (await program.exchange(code, { resource: 'https://other.example/mcp' })).body.error,
      'invalid_target',
    );
    const { body } = await program.exchange(code);
    const foreign = { resource: 'https://other.example/mcp' };
    assert.equal((await program.refresh(body.refresh_token, foreign)).body.error, 'invalid_target');
  });

  it('nobody is sent to an address that is not registered: another host, path or query, nor by a client that is not known', async () => {
    const wrong = [
      'https://evil.example/callback',
      `${CALLBACK}/../evil`,
      `${CALLBACK}?next=https://evil.example`,
      'https://assistant.example.evil.example/callback',
      'https://assistant.example:444/callback',
      'http://assistant.example/callback',
      'https://user@assistant.example/callback',
    ];
    for (const redirect_uri of wrong) {
      const { status, location } = await refusal({ redirect_uri });
      assert.deepEqual([status, location], [400, undefined], redirect_uri);
    }
    assert.deepEqual(await refusal({ client_id: 'nobody' }), { status: 400, location: undefined });
    assert.deepEqual(await refusal({ client_id: null }), { status: 400, location: undefined });
  });

  it('a loopback address may have another port, and nothing else that differs; the person is warned of it', async () => {
    await program.register({ client_name: 'Desk', redirect_uris: ['http://127.0.0.1:1234/callback'] });
    program.redirectUri = 'http://127.0.0.1:9876/callback';
    const page = await person.open(program.authorizeUrl());
    assert.match(page.html, /127\.0\.0\.1:9876/u);
    assert.match(page.html, /leads to a program on your own computer/u);
    assert.match(
      page.response.headers.get('content-security-policy') ?? '',
      /form-action 'self' https: http:\/\/127\.0\.0\.1:9876;/u,
    );
    for (const redirect_uri of [
      'http://127.0.0.1:9876/other',
      'http://localhost:1234/callback',
      'http://127.0.0.1:80@evil.example/callback',
      'https://127.0.0.1:1234/callback',
    ])
      assert.equal((await refusal({ redirect_uri })).status, 400, redirect_uri);
  });

  it('addresses that a browser would run or read, and plain http beyond this machine, are not registered', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://assistant.example/cb',
      'https://a.example/#x',
      'https://a:b@a.example/',
      'no address',
      'file:///etc/passwd',
    ]) {
      const { status, error } = await new Program(site.url).register({ redirect_uris: [uri] });
      assert.deepEqual([status, error], [400, 'invalid_redirect_uri'], uri);
    }
    assert.equal((await new Program(site.url).register({ redirect_uris: [] })).error, 'invalid_redirect_uri');
    assert.equal(
      (await new Program(site.url).register({ redirect_uris: [CALLBACK], grant_types: ['implicit'] })).error,
      'invalid_client_metadata',
    );
    const secret = await new Program(site.url).register({
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    assert.deepEqual([secret.token_endpoint_auth_method, secret.client_secret], ['none', undefined]);
  });

  it('registrations are bounded for a network, and those that nobody connects are forgotten', async () => {
    let last: any;
    for (let count = 0; count < 31; count += 1) last = await new Program(site.url).register();
    assert.deepEqual([last.status, last.error], [503, 'temporarily_unavailable']);
    site.app.clock.advance(8 * DAY_MS);
    const { total } = await site.app.store.find('oauthClients', {});
    await new Program(site.url).register();
    await new Program(site.url).register();
    assert.ok((await site.app.store.find('oauthClients', {})).total < total);
  });

  it('a refresh token counts once; a former one ends the access, and so does its revocation by the program', async () => {
    const first = await connected();
    const { body: second } = await program.refresh(first.refresh_token);
    assert.deepEqual([second.token_type, second.expires_in, second.scope], ['Bearer', 3600, 'onair:operate']);
    assert.equal(await isIn(first.access_token), false);
    assert.ok(await isIn(second.access_token));
    const forged = second.refresh_token.replace(/.{86}$/u, 'x'.repeat(86));
    assert.equal((await program.refresh(forged)).body.error, 'invalid_grant');
    assert.ok(await isIn(second.access_token), 'a text of somebody else ends nothing');
    assert.equal((await program.refresh(first.refresh_token)).body.error, 'invalid_grant');
    assert.equal(await isIn(second.access_token), false);
    assert.equal((await program.refresh(second.refresh_token)).body.error, 'invalid_grant');
    const audit = await site.app.rows('getAuditLog', { operation: 'refreshToken', fields: '*' });
    assert.deepEqual(
      [audit[0]?.['via'], audit[0]?.['client'], audit[0]?.['outcome']],
      ['oauth', 'Assistant', 'unauthenticated'],
    );

    for (const kind of ['access_token', 'refresh_token'] as const) {
      const given = await connected();
      assert.equal(
        (await program.post('/oauth/revoke', { token: given[kind], client_id: 'another' })).body.error,
        'invalid_client',
      );
      assert.equal(
        (await program.post('/oauth/revoke', { token: given[kind], client_id: program.clientId })).status,
        200,
      );
      assert.equal(await isIn(given.access_token), false, kind);
      assert.equal((await program.refresh(given.refresh_token)).body.error, 'invalid_grant', kind);
    }
    assert.equal((await program.post('/oauth/revoke', { token: 'unknown' })).status, 200);
  });

  it('a refresh gives no wider scope, and none to another program', async () => {
    const { refresh_token } = await connected();
    assert.equal((await program.refresh(refresh_token, { scope: 'onair:full' })).body.error, 'invalid_scope');
    assert.equal(
      (await program.refresh(refresh_token, { scope: 'onair:operate onair:full' })).body.error,
      'invalid_scope',
    );
    assert.equal((await program.refresh(refresh_token, { client_id: 'another' })).body.error, 'invalid_grant');
    assert.equal((await program.refresh(refresh_token, { scope: 'onair:operate' })).status, 200);
  });

  it('access lasts an hour, and ends at the chosen day or 30 days after the last refresh', async () => {
    const given = await connected({ expires_days: '40' });
    site.app.clock.advance(HOUR_MS);
    assert.equal(await isIn(given.access_token), false);
    site.app.clock.advance(29 * DAY_MS);
    const { body } = await program.refresh(given.refresh_token);
    site.app.clock.advance(11 * DAY_MS);
    assert.equal((await program.refresh(body.refresh_token)).body.error, 'invalid_grant');
    const unused = await connected();
    site.app.clock.advance(30 * DAY_MS);
    assert.equal((await program.refresh(unused.refresh_token)).body.error, 'invalid_grant');
  });

  it('its token is good for MCP alone, with the profile and operations that were chosen', async () => {
    const { access_token: token, scope } = await connected({
      profile: 'operator',
      operations: ['getAllChannels', 'startLivestream'],
    });
    assert.equal(scope, 'onair:operate');
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['/svcapiv2/channels', '/svcapiv2/security/me', '/metrics'])
      assert.equal((await fetch(site.url + path, { headers })).status, 401, path);
    assert.ok(await isIn(token));
    const inside = await program.call(token, 'call_tool', { operationId: 'getAllPublishings', arguments: {} });
    assert.equal(inside.status, 200);
    assert.match(await inside.text(), /outside the operations of this API token/u);
  });

  it('too little scope is 403 and names the one that is needed; what the role forbids stays an answer', async () => {
    const { access_token: token } = await connected({ profile: 'readonly' });
    const refused = await program.call(token, 'call_tool', { operationId: 'addChannel', arguments: {} });
    assert.equal(refused.status, 403);
    const url = `${site.url}/.well-known/oauth-protected-resource/mcp`;
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer realm="onair", error="insufficient_scope", scope="onair:operate", resource_metadata="${url}"`,
    );
    const audit = await site.app.rows('getAuditLog', { operation: 'addChannel', fields: '*' });
    assert.deepEqual(
      [audit[0]?.['via'], audit[0]?.['client'], audit[0]?.['outcome']],
      ['oauth', 'Assistant', 'profile_forbidden'],
    );
    person = new Person(site.url);
    const callback = await person.allow(program.authorizeUrl(), { profile: 'operator' }, 'operator');
    const { body } = await program.exchange(callback.searchParams.get('code')!);
    const answer = await program.call(body.access_token, 'call_tool', {
      operationId: 'deleteUser',
      arguments: { userId: 1 },
    });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /needs the role System Administrator/u);
  });

  it('an assistant with every right makes no API token, which would outlive the consent', async () => {
    const { access_token: token } = await connected({ profile: 'full' });
    const answer = await program.call(token, 'call_tool', {
      operationId: 'createApiToken',
      arguments: { name: 'mine' },
    });
    assert.match(await answer.text(), /makes no API tokens/u);
  });

  it('the consent is a page that nobody frames and that runs nothing; without its token, or from another site, it counts for nothing', async () => {
    const page = await person.open(program.authorizeUrl());
    const policy = page.response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/u);
    assert.equal(page.response.headers.get('x-frame-options'), 'DENY');
    assert.doesNotMatch(page.html, /<script/u);
    const forged = await person.submit(page, { decision: 'allow', csrf_token: 'forged' });
    assert.deepEqual([forged.response.status, forged.response.headers.get('location')], [403, null]);
    const without = await person.submit({ ...page, fields: { profile: 'full' } }, { decision: 'allow' });
    assert.equal(without.response.status, 403);
    const foreign = await person.submit(page, { decision: 'allow' }, { origin: 'https://evil.example' });
    assert.equal(foreign.response.status, 403);
    const wider = await person.submit(await person.open(program.authorizeUrl({ scope: 'onair:read' })), {
      decision: 'allow',
      profile: 'full',
    });
    assert.deepEqual([wider.response.status, wider.response.headers.get('location')], [400, null]);
  });

  it('a person who has signed in before is not asked again, although the cookie stays away from what another site begins', async () => {
    await person.open(program.authorizeUrl());
    const step = await person.get(program.authorizeUrl(), true);
    assert.match(step.html, /http-equiv="refresh"/u);
    assert.doesNotMatch(step.html, /csrf_token|name="password"/u);
    assert.match((await person.open(program.authorizeUrl())).html, /name="csrf_token"/u);
  });

  it('a wrong password lets nobody go on, and the page says so in the language of the browser', async () => {
    person.language = 'es-ES,es;q=0.9';
    const form = await person.get(program.authorizeUrl({ same_site: '1' }));
    const refused = await person.submit(form, { username: 'admin', password: 'a wrong password', decision: 'sign_in' });
    assert.equal(refused.response.status, 403);
    assert.match(refused.html, /no coinciden/u);
    assert.equal(person.cookies.get('onair_session'), undefined);
  });

  it('a user whose profile says api: false is told so, and the program gets nothing', async () => {
    const page = await person.open(program.authorizeUrl(), 'plain');
    assert.equal(page.response.status, 403);
    assert.match(page.html, /may not connect assistants/u);
    const tried = await person.submit(page, { decision: 'allow', profile: 'operator' });
    assert.equal(new URL(tried.response.headers.get('location')!).searchParams.get('error'), 'access_denied');
  });

  it('an Operator is offered no more than an Operator may do, and nobody more than was asked', async () => {
    const offered = ({ html }: { html: string }): string[] =>
      [...html.matchAll(/name="profile" value="(\w+)"/gu)].map(([, name]) => name!);
    assert.deepEqual(offered(await person.open(program.authorizeUrl())), ['readonly', 'operator', 'voice', 'full']);
    assert.deepEqual(offered(await person.open(program.authorizeUrl({ scope: 'onair:voice offline_access' }))), [
      'voice',
    ]);
    const operator = await new Person(site.url).open(program.authorizeUrl(), 'operator');
    assert.deepEqual(offered(operator), ['readonly', 'operator', 'voice']);
    assert.doesNotMatch(operator.html, /value="deleteUser"/u);
  });

  it('access ends with the user', async () => {
    const callback = await new Person(site.url).allow(program.authorizeUrl(), {}, 'operator');
    const { body } = await program.exchange(callback.searchParams.get('code')!);
    assert.ok(await isIn(body.access_token));
    await site.app.call('updateUser', { userId: site.app.users.operator, active: false });
    assert.equal(await isIn(body.access_token), false);
    assert.equal((await program.refresh(body.refresh_token)).body.error, 'invalid_grant');
    await site.app.call('updateUser', { userId: site.app.users.operator, active: true });
  });

  it('the audit names the assistant at its consent, its exchange and its calls', async () => {
    await program.register({ client_name: 'Named', redirect_uris: [CALLBACK] });
    const { access_token: token } = await connected();
    const create = {
      operationId: 'addChannel',
      arguments: { name: 'By an assistant', type: 'File', settings: { filename: 'x.mp4' } },
    };
    await program.call(token, 'call_tool', create);
    const rows = (await site.app.rows('getAuditLog', { fields: '*' })).filter(({ client }) => client === 'Named');
    const seen = new Set(rows.map(({ operation, via }) => `${String(operation)} ${String(via)}`));
    assert.deepEqual([...seen].sort(), ['addChannel oauth', 'connectAssistant ui', 'exchangeCode oauth']);
  });
});

describe('OAuth where tokens would go in plain text', () => {
  const PUBLIC_URL = 'http://studio.example';
  /** fetch sets Host by itself. */
  const get = (
    url: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; challenge: string; body: any }> =>
    new Promise((resolve, reject) => {
      const sent = request(url + path, { headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            challenge: response.headers['www-authenticate'] ?? '',
            body: JSON.parse(text),
          }),
        );
      });
      sent.once('error', reject).end();
    });

  it('there is none under a public address of http; behind a proxy it is there for what came by https', async () => {
    const path = '/.well-known/oauth-authorization-server';
    const plain = await startOAuthSite({ publicUrl: PUBLIC_URL });
    assert.equal((await get(plain.url, path, { host: 'studio.example' })).status, 403);
    const { status, challenge } = await get(plain.url, '/mcp', { host: 'studio.example' });
    assert.deepEqual([status, challenge], [401, 'Bearer realm="onair"']);
    await plain.close();
    const proxied = await startOAuthSite({ publicUrl: 'https://studio.example/onair' });
    const host = { host: 'studio.example' };
    assert.equal((await get(proxied.url, path, { ...host, 'x-forwarded-proto': 'http' })).status, 403);
    const secure = { ...host, 'x-forwarded-proto': 'https' };
    for (const each of [path, `${path}/onair`]) {
      const { issuer, token_endpoint } = (await get(proxied.url, each, secure)).body;
      assert.deepEqual(
        [issuer, token_endpoint],
        ['https://studio.example/onair', 'https://studio.example/onair/oauth/token'],
      );
    }
    assert.equal(
      (await get(proxied.url, '/.well-known/oauth-protected-resource/mcp', secure)).body.resource,
      'https://studio.example/onair/mcp',
    );
    assert.match(
      (await get(proxied.url, '/mcp', secure)).challenge,
      /resource_metadata="https:\/\/studio\.example\/onair\/\.well-known\/oauth-protected-resource\/mcp"/u,
    );
    await proxied.close();
  });
});
