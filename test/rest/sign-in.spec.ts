/** The sign-in of people over real HTTP, as a browser speaks it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { addUser } from '../../tools/addUser.ts';
import { createApiToken } from '../../tools/createApiToken.ts';
import { getAuditLog } from '../../tools/getAuditLog.ts';
import { getUserProfile } from '../../tools/getUserProfile.ts';
import { updateUser } from '../../tools/updateUser.ts';
import { itLong } from '../helpers/counts.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { weakHashOf } from '../helpers/weak-hash.ts';
import { TOKENS } from '../app/users.ts';
import { type RestTestApp, listen, startRestApp } from './rest-app.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'another long password';
const TOOLS = [addUser, createApiToken, getAuditLog, getUserProfile, updateUser];
const channel = { name: 'Camera', type: 'Stream', settings: { url: 'http://127.0.0.1:9/live.m3u8' } };

const password_hash = weakHashOf(PASSWORD);

let api: RestTestApp;
let server: Awaited<ReturnType<typeof listen>>;
let clock: FakeClock;

async function open(options: Parameters<typeof startRestApp>[0] = {}): Promise<void> {
  clock = new FakeClock();
  api = await startRestApp({ tools: TOOLS, clock, ...options });
  server = await listen(api.rest);
  await api.store.tx((tx) => {
    for (const row of tx.find('users', {}).rows) tx.put('users', { ...row, password_hash });
  });
}
async function close(): Promise<void> {
  await server.close();
  await api.close();
}

interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/svcapiv2${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

interface Browser {
  cookie: string;
  csrf: string;
  /** Sends the cookie, and the CSRF token unless told otherwise. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

const login = (username = 'admin', password = PASSWORD, headers = {}): Promise<Answer> =>
  ask('POST', '/security/login', { username, password }, headers);

async function signIn(username = 'admin', password = PASSWORD): Promise<Browser> {
  const { status, headers, body } = await login(username, password);
  assert.equal(status, 200, JSON.stringify(body));
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const csrf = String(body.data.csrf_token);
  return {
    cookie,
    csrf,
    ask: (method, path, sent, extra = {}) => ask(method, path, sent, { cookie, 'X-CSRF-Token': csrf, ...extra }),
  };
}

describe('sign-in', () => {
  beforeEach(() => open());
  afterEach(close);

  it('sign-in answers the user, and a cookie that scripts cannot read and other sites cannot send', async () => {
    const { status, headers, body } = await login();
    assert.equal(status, 200);
    const [pair = '', ...flags] = (headers.get('set-cookie') ?? '').split('; ');
    assert.match(pair, /^onair_session=[\w-]{43}$/u);
    assert.deepEqual(flags, ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=43200']);
    assert.equal(headers.get('cache-control'), 'no-store');
    const { csrf_token, profile, ...user } = body.data;
    assert.match(csrf_token, /^[\w-]{43}$/u);
    assert.deepEqual(profile, { role: 1, api: true, admin: true, language: 'en', password_version: 1 });
    assert.deepEqual(user, {
      id: 1,
      username: 'admin',
      first_name: 'admin',
      last_name: 'Test',
      email: 'admin@example.org',
      user_role: 1,
      tool_profile: 'full',
      expires_at: '2026-01-01T12:00:00.000Z',
    });
    assert.ok(!JSON.stringify(body).includes(pair.split('=')[1] ?? '-'), 'the cookie is in the cookie alone');
  });

  it('a request for the present user answers that user, with the CSRF token for a session and without one for a token', async () => {
    const browser = await signIn();
    const own = await browser.ask('GET', '/security/me');
    assert.deepEqual([own.status, own.body.data.csrf_token], [200, browser.csrf]);
    const token = await ask('GET', '/security/me', undefined, { authorization: `Bearer ${TOKENS.operator}` });
    assert.deepEqual([token.status, token.body.data.username, token.body.data.user_role], [200, 'operator', 2]);
    assert.ok(!('csrf_token' in token.body.data) && !('expires_at' in token.body.data));
    assert.equal((await ask('GET', '/security/me')).status, 401);
  });

  it('sign-in refuses a body without user name and password, naming the fields', async () => {
    const missing = await ask('POST', '/security/login', { user: 'admin' });
    assert.equal(missing.status, 400);
    assert.deepEqual(missing.body.errors.map((issue: { field: string }) => issue.field).sort(), [
      'password',
      'user',
      'username',
    ]);
    const form = await fetch(`${server.url}/svcapiv2/security/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `username=admin&password=${PASSWORD}`,
    });
    assert.equal(form.status, 415, 'a form of another site needs no permission to be sent');
    const long = await ask('POST', '/security/login', { username: 'admin', password: 'x'.repeat(20_000) });
    assert.deepEqual([long.status, long.body.max_bytes], [413, 16 * 1024]);
    const wrong = await ask('GET', '/security/login');
    assert.deepEqual(
      [wrong.status, wrong.body.code, wrong.headers.get('allow')],
      [405, 'method_not_allowed', 'POST, OPTIONS'],
    );
  });

  it('a session ends with the sign-out, for good', async () => {
    const browser = await signIn();
    const other = await signIn();
    const out = await browser.ask('POST', '/security/logout');
    assert.deepEqual([out.status, out.body], [200, { data: { signed_out: true } }]);
    assert.match(
      out.headers.get('set-cookie') ?? '',
      /^onair_session=; HttpOnly; SameSite=Strict; Path=\/; Max-Age=0$/u,
    );
    assert.equal((await browser.ask('GET', '/channels')).status, 401);
    assert.equal((await browser.ask('POST', '/security/logout')).status, 401);
    assert.equal((await other.ask('GET', '/channels')).status, 200);
  });

  it('sign-in slows failures down and says for how long, without a word on whether the user exists', async () => {
    for (const name of ['admin', 'nobody']) {
      clock.advance(16 * 60_000);
      for (let time = 0; time < 5; time += 1) assert.equal((await login(name, 'wrong password')).status, 401);
      const refused = await login(name);
      assert.deepEqual(
        [refused.status, refused.body.code, refused.headers.get('retry-after')],
        [429, 'rate_limited', '1'],
      );
    }
    clock.advance(1000);
    assert.equal((await login()).status, 200);
    assert.equal((await ask('GET', '/channels', undefined, { authorization: `Bearer ${TOKENS.admin}` })).status, 200);
  });

  itLong('sign-in lets a user who has signed in from there in, whatever a robot does at the same address', async () => {
    await signIn();
    for (let shot = 0; shot < 300; shot += 1) {
      clock.advance(200);
      await login(`nobody${shot}`, 'guess');
    }
    assert.equal((await login('admin', 'mistyped')).status, 401);
    assert.equal((await login()).status, 200);
    assert.equal((await login('nobody301', 'guess')).status, 429, 'the robot waits');
    // After a restart, too: what is counted is gone, who is known is not.
    const { store } = api;
    const again = await startRestApp({ clock, store });
    const other = await listen(again.rest);
    try {
      const trySignIn = async (username: string, password: string): Promise<number> => {
        const body = JSON.stringify({ username, password });
        const headers = { 'content-type': 'application/json' };
        const url = `${other.url}/svcapiv2/security/login`;
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      for (let shot = 0; shot < 10; shot += 1) await trySignIn(`more${shot}`, 'guess');
      assert.equal(await trySignIn('more11', 'guess'), 429);
      assert.equal(await trySignIn('admin', PASSWORD), 200);
    } finally {
      await other.close();
    }
  });

  it('sign-in forgets after 30 days who has signed in', async () => {
    await signIn();
    clock.advance(30 * 24 * 3_600_000);
    for (let shot = 0; shot < 10; shot += 1) await login(`nobody${shot}`, 'guess');
    assert.equal((await login()).status, 429);
    const stored = JSON.stringify((await api.store.find('knownSignIns', {})).rows);
    assert.ok(!/admin|127\.0\.0/u.test(stored), 'neither a name nor an address is kept');
  });

  it('sign-in believes no X-Forwarded-For where no proxy is named, and says so once', async () => {
    for (let time = 0; time < 5; time += 1) {
      assert.equal((await login(`name${time}`, 'wrong', { 'x-forwarded-for': `192.0.2.${time}` })).status, 401);
    }
    assert.equal((await login('another', 'wrong', { 'x-forwarded-for': '192.0.2.99' })).status, 429);
    const warnings = api.logged.filter(({ message }) => message.includes('ONAIR_TRUSTED_PROXIES'));
    assert.equal(warnings.length, 1);
  });
});

describe('calls of a session', () => {
  beforeEach(() => open());
  afterEach(close);

  it('calls of a session read without more, and change things with the CSRF token alone', async () => {
    const browser = await signIn();
    assert.equal((await ask('GET', '/channels', undefined, { cookie: browser.cookie })).status, 200);
    const forgeries: Record<string, string>[] = [{}, { 'X-CSRF-Token': '' }, { 'X-CSRF-Token': 'x'.repeat(43) }];
    for (const headers of forgeries) {
      const forged = await ask('POST', '/channels', channel, { cookie: browser.cookie, ...headers });
      assert.deepEqual([forged.status, forged.body.code], [403, 'forbidden']);
      assert.match(forged.body.detail, /X-CSRF-Token/u);
      assert.equal(
        (await ask('POST', '/security/logout', undefined, { cookie: browser.cookie, ...headers })).status,
        403,
      );
    }
    const other = await signIn();
    assert.equal((await browser.ask('POST', '/channels', channel, { 'X-CSRF-Token': other.csrf })).status, 403);
    const refused = (await api.store.find('audit', { where: { operation: 'addChannel' } })).rows;
    assert.deepEqual(
      refused.map(({ user, via, outcome }) => [user, via, outcome]),
      Array.from({ length: 4 }, () => ['admin', 'ui', 'forbidden']),
    );
    assert.equal((await api.store.find('channels', {})).total, 0);
    assert.equal((await browser.ask('POST', '/channels', channel)).status, 201);
  });

  it('calls of a session have to come from our own pages, where the browser says from which', async () => {
    const browser = await signIn();
    for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${server.port + 1}`, 'http://localhost']) {
      const { status, body } = await browser.ask('POST', '/channels', channel, { origin });
      assert.deepEqual([status, body.code], [403, 'forbidden'], origin);
      assert.equal((await login('admin', PASSWORD, { origin })).status, 403, origin);
    }
    assert.equal((await browser.ask('POST', '/channels', channel, { origin: server.url })).status, 201);
    assert.equal((await login('admin', PASSWORD, { origin: server.url })).status, 200);
  });

  it('calls of a session have the role of their user', async () => {
    const browser = await signIn('operator');
    const { status, body } = await browser.ask('POST', '/users', { username: 'x', email: 'x@example.org' });
    assert.deepEqual([status, body.code], [403, 'forbidden']);
    assert.equal((await browser.ask('GET', '/users/1/profile')).status, 403);
  });

  it('calls of a session are in the audit with the API ui and without a token, and no password is in it', async () => {
    await login('admin', 'a wrong password');
    const browser = await signIn();
    await browser.ask('POST', '/channels', channel, { 'x-onair-via': 'cli' });
    await browser.ask('POST', '/security/logout');
    const { body } = await ask('GET', '/system/audit?sort=id', undefined, { authorization: `Bearer ${TOKENS.admin}` });
    assert.deepEqual(
      body.rows.map((row: Record<string, unknown>) => [row['operation'], row['via'], row['token_kid'], row['outcome']]),
      [
        ['login', 'ui', null, 'unauthenticated'],
        ['login', 'ui', null, 'ok'],
        ['addChannel', 'ui', null, 'ok'],
        ['logout', 'ui', null, 'ok'],
      ],
    );
    assert.ok(!JSON.stringify(body).includes('password'));
  });

  it('a request with a cookie and a bearer token is decided by the token alone, valid or not', async () => {
    const browser = await signIn('admin');
    const authorization = `Bearer ${TOKENS.operator}`;
    const me = await browser.ask('GET', '/security/me', undefined, { authorization });
    assert.equal(me.body.data.username, 'operator');
    const made = await ask('POST', '/channels', channel, { cookie: browser.cookie, authorization });
    assert.equal(made.status, 201, 'a token needs no CSRF token');
    const wrong = { authorization: 'Bearer revoked' };
    assert.equal((await browser.ask('GET', '/channels', undefined, wrong)).status, 401);
    assert.equal((await browser.ask('GET', '/security/me', undefined, wrong)).status, 401);
  });

  it('the sessions of a user end with a new password, but for the session that has set it', async () => {
    const [own, other] = [await signIn(), await signIn()];
    assert.equal((await own.ask('PUT', '/users/1', { password: NEW_PASSWORD })).status, 200);
    assert.equal((await own.ask('GET', '/channels')).status, 200);
    assert.equal((await other.ask('GET', '/channels')).status, 401);
    assert.equal((await login()).status, 401);
    assert.equal((await login('admin', NEW_PASSWORD)).status, 200);
  });

  it('everybody changes their own password with the present one, of which guesses are slowed down', async () => {
    const other = await signIn('operator');
    const own = await signIn('operator');
    const change = (password: string, new_password: string): Promise<Answer> =>
      own.ask('POST', '/security/password', { password, new_password });
    for (const [present, next, field] of [
      ['wrong password', NEW_PASSWORD, 'password'],
      [PASSWORD, 'short', 'new_password'],
      ['', NEW_PASSWORD, 'password'],
    ] as const) {
      const { status, body } = await change(present, next);
      assert.deepEqual([status, body.errors[0].field], [400, field]);
    }
    const forged = await ask('POST', '/security/password', {}, { cookie: own.cookie });
    assert.equal(forged.status, 403);
    assert.equal((await change(PASSWORD, NEW_PASSWORD)).status, 200);
    assert.equal((await own.ask('GET', '/channels')).status, 200);
    assert.equal((await other.ask('GET', '/channels')).status, 401);
    assert.deepEqual([(await login('operator')).status, (await login('operator', NEW_PASSWORD)).status], [401, 200]);
    const { rows } = await api.store.find('audit', { where: { operation: 'changePassword' } });
    assert.deepEqual(
      rows.map(({ user, outcome }) => [user, outcome]),
      [
        ['operator', 'invalid_input'],
        ['operator', 'ok'],
      ],
    );
    for (let shot = 0; shot < 10; shot += 1) await change(`guess ${shot}`, PASSWORD);
    assert.equal((await change(NEW_PASSWORD, PASSWORD)).status, 429);
  });

  it('who signs in without a password has none to change', async () => {
    const own = await signIn('operator');
    const change = (): Promise<Answer> =>
      own.ask('POST', '/security/password', { password: PASSWORD, new_password: NEW_PASSWORD });
    await api.store.tx((tx) => tx.put('users', { ...tx.get('users', 2)!, password_hash: '' }));
    assert.equal((await change()).status, 409);
  });

  it('calls of a session replay a secret answer to the same session alone', async () => {
    const [own, other] = [await signIn(), await signIn()];
    const key = { 'Idempotency-Key': 'once' };
    const first = await own.ask('POST', '/security/tokens', { name: 'robot' }, key);
    const again = await own.ask('POST', '/security/tokens', { name: 'robot' }, key);
    assert.deepEqual([first.status, again.headers.get('idempotency-replayed')], [201, 'true']);
    assert.equal(again.body.data.token, first.body.data.token);
    assert.equal((await other.ask('POST', '/security/tokens', { name: 'robot' }, key)).status, 409);
  });
});

describe('sign-in behind a proxy that speaks TLS', () => {
  const publicUrl = 'https://live.example.org';
  beforeEach(() => open({ publicUrl }));
  afterEach(close);

  it('sign-in behind a proxy that speaks TLS marks the cookie Secure', async () => {
    const { headers } = await login();
    assert.match(headers.get('set-cookie') ?? '', /; Secure$/u);
  });

  it('sign-in behind a proxy that speaks TLS takes pages of the public address as its own', async () => {
    assert.equal((await login('admin', PASSWORD, { origin: publicUrl })).status, 200);
    assert.equal((await login('admin', PASSWORD, { origin: 'https://evil.example.org' })).status, 403);
  });

  it('sign-in behind a proxy does not believe a client beside it who writes X-Forwarded-For himself', async () => {
    for (let time = 0; time < 14; time += 1) {
      const { status } = await login('admin', 'guess', { 'x-forwarded-for': `203.0.113.${time}` });
      assert.equal(status, time < 5 ? 401 : 429);
    }
  });
});

describe('sign-in behind proxies that are named', () => {
  beforeEach(() => open({ trustedProxies: '127.0.0.1, 10.1.0.0/16' }));
  afterEach(close);

  it('sign-in behind named proxies takes the right-most address that is none of theirs', async () => {
    const through = (time: number): Record<string, string> => ({
      'x-forwarded-for': `198.51.100.${time}, 192.0.2.1, 10.1.2.3`,
    });
    for (let time = 0; time < 5; time += 1) await login(`name${time}`, 'wrong', through(time));
    assert.equal((await login('x', 'wrong', through(9))).status, 429);
    assert.equal((await login('x', 'wrong', { 'x-forwarded-for': '192.0.2.7, 10.1.2.3' })).status, 401);
    assert.deepEqual(api.logged, [], 'nothing is to be warned of');
  });
});

describe('sign-in without TLS of our own', () => {
  beforeEach(() => open());
  afterEach(close);

  it('sign-in without TLS of our own marks the cookie Secure when a proxy says that the client speaks TLS', async () => {
    assert.match(
      (await login('admin', PASSWORD, { 'x-forwarded-proto': 'https' })).headers.get('set-cookie') ?? '',
      /Secure/u,
    );
    assert.doesNotMatch(
      (await login('admin', PASSWORD, { 'x-forwarded-proto': 'http' })).headers.get('set-cookie') ?? '',
      /Secure/u,
    );
  });
});

describe('sign-in under the profile readonly', () => {
  beforeEach(() => open({ profile: 'readonly' }));
  afterEach(close);

  it('sign-in under the profile readonly works, and so does the sign-out; changes are refused', async () => {
    const browser = await signIn();
    assert.equal((await browser.ask('GET', '/security/me')).body.data.tool_profile, 'readonly');
    const { status, body } = await browser.ask('POST', '/channels', channel);
    assert.deepEqual([status, body.code], [403, 'profile_forbidden']);
    const own = await browser.ask('POST', '/security/password', { password: PASSWORD, new_password: NEW_PASSWORD });
    assert.deepEqual([own.status, own.body.code], [403, 'profile_forbidden']);
    assert.equal((await browser.ask('POST', '/security/logout')).status, 200);
  });
});
