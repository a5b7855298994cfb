/** Tokens of the deployment's authorization server as an attacker would have them, and access that was taken away. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { createAuth, type Auth } from '../../auth/auth.ts';
import { createAccessTokens } from '../../auth/oauth/provider/access-tokens.ts';
import { createProviderAccess } from '../../auth/oauth/provider/provider-access.ts';
import type { AppError } from '../../domain/base/errors.ts';
import { hashToken } from '../../domain/shapes/installation/security.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';

const RESOURCE = 'https://studio.example/mcp';
const ROLES = { roleClaim: 'realm.roles', adminRole: 'boss', operatorRole: 'operator' };
const MINUTE = 60;

let issuer = '';
let isAway = false;
let app: TestApp<typeof systemClock>;
let auth: Auth;
let own: CryptoKey;
let foreign: CryptoKey;
let hasApi = false;

const server = createServer((request, response) => {
  if (isAway) return void request.socket.destroy();
  void answer(request.url ?? '').then((body) => {
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
});
let publicKey: CryptoKey;

async function answer(path: string): Promise<object | undefined> {
  if (path === '/.well-known/oauth-authorization-server') return { issuer, jwks_uri: `${issuer}/keys` };
  if (path === '/keys') return { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] };
  return undefined;
}

interface Change {
  claims?: JWTPayload;
  header?: Partial<JWTHeaderParameters>;
  key?: CryptoKey | Uint8Array;
}

/** A token that is good unless something of it is changed. */
function token({ claims = {}, header = {}, key = own }: Change = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: issuer, aud: RESOURCE, sub: 'anna', client_id: 'an assistant', scope: 'openid onair:operate' };
  return new SignJWT({ ...good, iat: now, exp: now + MINUTE, realm: { roles: ['operator'] }, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt', ...header })
    .sign(key);
}

/** How the call ends: the scope that it has, or the code of the refusal. */
async function outcome(bearer: string, resource: 'mcp' | null = 'mcp'): Promise<string> {
  return auth.authenticate(bearer, { via: 'mcp', requestId: 'r', ...(resource !== null && { resource }) }).then(
    ({ scope }) => String(scope?.profile),
    (error: AppError) => error.code,
  );
}

const rows = async () => (await app.store.find('tokens', {})).rows.filter(({ oauth }) => oauth !== undefined);

describe('tokens of the deployment’s authorization server', () => {
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    ({ privateKey: own, publicKey } = await generateKeyPair('ES256'));
    ({ privateKey: foreign } = await generateKeyPair('ES256'));
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  afterEach(() => app.close());
  beforeEach(async () => {
    app = await startTestApp({ clock: systemClock, hasDevice: false });
    isAway = false;
    hasApi = false;
    open();
  });

  function open(): void {
    const { store, clock } = app;
    const tokens = createAccessTokens({ issuer, resource: RESOURCE });
    auth = createAuth({ store, clock, provider: createProviderAccess({ tokens, store, clock, ...ROLES }) });
  }

  /** The User is made at the first call, and an Administrator lets him connect assistants. */
  async function allow(): Promise<void> {
    if (hasApi) return;
    assert.equal(await outcome(await token()), 'forbidden');
    const users = await app.rows('getAllUsers', { fields: '*', pageSize: 100 });
    const { id } = users.at(-1)!;
    await app.call('updateUserProfile', { userId: id, api: true });
    hasApi = true;
  }

  it('the scope is the profile, no wider than the role', async () => {
    await allow();
    assert.equal(await outcome(await token()), 'operator');
    assert.equal(await outcome(await token({ claims: { scope: 'onair:read' } })), 'readonly');
    assert.equal(await outcome(await token({ claims: { scope: 'onair:full' } })), 'operator');
    assert.equal(await outcome(await token({ claims: { scope: undefined, scp: ['api://x/onair:voice'] } })), 'voice');
    const asBoss = { scope: 'onair:full', realm: { roles: ['boss'] } };
    assert.equal(await outcome(await token({ claims: asBoss })), 'full');
    assert.equal(await outcome(await token({ claims: { scope: 'mail' } })), 'forbidden');
    assert.equal((await rows()).length, 1, 'an assistant of a User has one row');
  });

  it('what is not a valid token for this server is 401, and makes nothing', async () => {
    await allow();
    const now = Math.floor(Date.now() / 1000);
    const attacks: Record<string, Change> = {
      'another key': { key: foreign },
      'another key id': { header: { kid: 'other' } },
      'a keyed hash': { header: { alg: 'HS256' }, key: new TextEncoder().encode('k'.repeat(32)) },
      'another resource': { claims: { aud: 'https://other.example/mcp' } },
      'no resource': { claims: { aud: undefined } },
      'another issuer': { claims: { iss: 'https://other.example' } },
      over: { claims: { exp: now - 2 * MINUTE } },
      'not yet': { claims: { nbf: now + 5 * MINUTE } },
      'without an end': { claims: { exp: undefined } },
      'without an account': { claims: { sub: undefined } },
      'without a program': { claims: { client_id: undefined } },
      'another kind': { header: { typ: 'logout+jwt' } },
    };
    for (const [name, attack] of Object.entries(attacks))
      assert.equal(await outcome(await token(attack)), 'unauthenticated', name);
    const [head, body] = (await token()).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const text of [`${none}.${body}.`, `${head}.${body}.AAAA`, 'a.b.c', `${'a'.repeat(17_000)}.b.c`])
      assert.equal(await outcome(text), 'unauthenticated', text.slice(0, 40));
    assert.equal((await rows()).length, 0);
    assert.equal(await outcome(await token(), null), 'unauthenticated', 'REST takes none');
    assert.equal((await rows()).length, 0);
  });

  it('an account without a role is refused, and one that signed in before needs no word of it', async () => {
    await allow();
    assert.equal(await outcome(await token({ claims: { realm: { roles: ['guest'] } } })), 'forbidden');
    assert.equal(await outcome(await token({ claims: { realm: {} } })), 'operator');
    assert.equal(await outcome(await token({ claims: { sub: 'nobody', realm: {} } })), 'forbidden');
  });

  it('access that was taken away comes back by a later sign-in alone', async () => {
    await allow();
    const before = await token();
    assert.equal(await outcome(before), 'operator');
    const [row] = await rows();
    await app.call('revokeApiToken', { kid: row!.kid });
    const ended = Math.floor(Date.now() / 1000);
    assert.equal(await outcome(before), 'unauthenticated');
    for (const claims of [{}, { auth_time: ended - MINUTE }])
      assert.equal(await outcome(await token({ claims })), 'unauthenticated', 'a refresh is no sign-in');
    assert.equal(await outcome(await token({ claims: { auth_time: ended + MINUTE } })), 'operator');
    assert.equal(await outcome(await token({ claims: { auth_time: ended + MINUTE, sub: 'anna' } })), 'operator');
    assert.deepEqual(
      (await rows()).map(({ revoked_at }) => revoked_at === null),
      [false, true],
    );
    assert.equal(await outcome(before), 'unauthenticated', 'what was given before stays ended');
    open();
    assert.equal(await outcome(before), 'unauthenticated', 'after a restart too');
  });

  it('a User who is not active any more is out at once, and no text of the row lets anybody in', async () => {
    await allow();
    const good = await token();
    assert.equal(await outcome(good), 'operator');
    const [row] = await rows();
    for (const hash of [row!.token_hash, row!.oauth!.family_hash, hashToken(good)])
      assert.equal(await outcome(hash), 'unauthenticated');
    await app.call('updateUser', { userId: row!.userId, active: false });
    assert.equal(await outcome(good), 'unauthenticated');
    assert.equal(await outcome(await token({ claims: { jti: 'new' } })), 'forbidden');
  });

  it('while the authorization server is away a call is 502 and not 401, and tokens that were proved go on', async () => {
    await allow();
    const proved = await token();
    assert.equal(await outcome(proved), 'operator');
    isAway = true;
    assert.equal(await outcome(proved), 'operator');
    open();
    assert.equal(await outcome(proved), 'upstream_failed', 'a restart has forgotten the keys');
    isAway = false;
    assert.equal(await outcome(proved), 'operator');
  });
});
