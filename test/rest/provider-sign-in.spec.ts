/** The sign-in by a real identity provider, with a client that follows redirects and keeps cookies as a browser does. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createIdentityProvider } from '../../auth/identity-provider.ts';
import { createProviderSignIn } from '../../auth/provider-sign-in.ts';
import { openRestApi, type RestApi } from '../app/rest-api.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { startIdentityProvider, type TestProvider } from '../helpers/servers/identity-provider.ts';

const PUBLIC_URL = 'http://127.0.0.1:48090';
const LOGIN = '/svcapiv2/security/oidc/login';
const CALLBACK = '/svcapiv2/security/oidc/callback';
const MINUTE_MS = 60_000;

let provider: TestProvider;
let app: TestApp;
let api: RestApi;

/** One browser: its cookies by host. The addresses of the server under test are answered by the application itself. */
class Browser {
  private readonly jars = new Map<string, Map<string, string>>();
  /** Addresses that it was sent to. */
  readonly visited: string[] = [];

  async get(url: string, accept = 'text/html'): Promise<Response> {
    const { host } = new URL(url);
    const cookies = [...(this.jars.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept, ...(cookies !== '' && { cookie: cookies }) };
    const ours = url.startsWith(PUBLIC_URL);
    const response = await (ours
      ? api.rest.request(url, { headers })
      : fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(120_000) }));
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects; stops before the page of the server, and before the first address that `until` fits. */
  async follow(
    from: string,
    until: (url: string) => boolean = () => false,
  ): Promise<{ response: Response; url: string }> {
    let url = from;
    for (let hops = 0; hops < 12; hops += 1) {
      const response = await this.get(url);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) return { response, url };
      url = new URL(location, url).href;
      this.visited.push(url);
      if (until(url) || url === `${PUBLIC_URL}/?signed-in`) return { response, url };
    }
    return assert.fail(`too many redirects: ${this.visited.join('\n')}`);
  }

  signIn(): Promise<{ response: Response; url: string }> {
    return this.follow(PUBLIC_URL + LOGIN);
  }

  cookie(name: string): string | undefined {
    return this.jars.get(new URL(PUBLIC_URL).host)?.get(name);
  }

  async me(): Promise<{ status: number; data: any }> {
    const response = await this.get(`${PUBLIC_URL}/svcapiv2/security/me`, 'application/json');
    return { status: response.status, data: ((await response.json()) as any).data };
  }
}

async function open(issuer = provider.issuer): Promise<void> {
  app = await startTestApp();
  api = await openRestApi(app, {
    publicUrl: PUBLIC_URL,
    providerSignIn: (sessions) =>
      createProviderSignIn({
        provider: createIdentityProvider({ ...provider, issuer, roleClaim: 'roles' }),
        issuer,
        roleClaim: 'roles',
        adminRole: 'studio-admin',
        operatorRole: 'studio-operator',
        redirectUri: () => PUBLIC_URL + CALLBACK,
        sessions,
        store: app.store,
        clock: app.clock,
      }),
  });
}

async function userNamed(username: string): Promise<any> {
  return (await app.rows('getAllUsers', { fields: '*' })).find((user) => user['username'] === username);
}

describe('the sign-in by an identity provider', () => {
  before(async () => void (provider = await startIdentityProvider(PUBLIC_URL + CALLBACK)));
  after(() => provider.close());
  beforeEach(() => open());
  afterEach(async () => {
    api.feed.close();
    await app.close();
  });

  it('an account with a role comes back with the cookie of a session, and the role that the provider says', async () => {
    provider.account = {
      sub: 'u-1',
      roles: ['staff', 'studio-operator'],
      preferred_username: 'vera',
      email: 'vera@example.org',
      given_name: 'Vera',
      family_name: 'Kunz',
    };
    const browser = new Browser();
    const { response, url } = await browser.signIn();
    assert.deepEqual([response.status, url], [303, `${PUBLIC_URL}/?signed-in`]);
    const [authorize = ''] = browser.visited;
    const sent = new URL(authorize).searchParams;
    assert.equal(sent.get('code_challenge_method'), 'S256');
    assert.equal(sent.get('redirect_uri'), PUBLIC_URL + CALLBACK);
    assert.ok((sent.get('state')?.length ?? 0) > 20 && (sent.get('nonce')?.length ?? 0) > 20);
    const { status, data } = await browser.me();
    assert.equal(status, 200);
    assert.deepEqual([data.username, data.user_role, data.first_name], ['vera', 2, 'Vera']);
    assert.ok(data.csrf_token);
    assert.equal(browser.cookie('onair_sign_in'), undefined);
    const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('onair_session='));
    assert.match(session ?? '', /HttpOnly; SameSite=Strict/u);
    const user = await userNamed('vera');
    assert.deepEqual(user.identity, { issuer: provider.issuer, subject: 'u-1' });
    assert.equal(user.has_password, false);
  });

  it('who came to let an assistant in is led back to the consent, and nobody to another place', async () => {
    provider.account = { sub: 'u-20', roles: 'studio-operator', preferred_username: 'olga' };
    const back = '/oauth/authorize?client_id=a&redirect_uri=b';
    const login = (to: string): string => `${PUBLIC_URL}${LOGIN}?${new URLSearchParams({ return_to: to }).toString()}`;
    const isOfConsent = (url: string): boolean => url.startsWith(`${PUBLIC_URL}/oauth/`);
    assert.equal((await new Browser().follow(login(back), isOfConsent)).url, PUBLIC_URL + back);
    for (const to of ['https://evil.example/', '//evil.example/oauth/authorize?', '/oauth/token?', '/#/tokens'])
      assert.equal((await new Browser().follow(login(to), isOfConsent)).url, `${PUBLIC_URL}/?signed-in`, to);
  });

  it('an account is its issuer and subject: a name or an address that a User has leads to another User', async () => {
    provider.account = {
      sub: 'u-2',
      roles: 'studio-operator',
      preferred_username: 'admin',
      email: 'admin@example.org',
    };
    const browser = new Browser();
    await browser.signIn();
    const { data } = await browser.me();
    assert.deepEqual([data.username, data.user_role], ['admin-2', 2]);
    provider.account = { ...provider.account, preferred_username: 'renamed', email: 'other@example.org' };
    const again = new Browser();
    await again.signIn();
    assert.equal((await again.me()).data.id, data.id);
  });

  it('the role is read at each sign-in, and counts at once for sessions that are open', async () => {
    provider.account = { sub: 'u-3', roles: ['studio-operator', 'studio-admin'], preferred_username: 'kim' };
    const first = new Browser();
    await first.signIn();
    assert.equal((await first.me()).data.user_role, 1);
    provider.account = { ...provider.account, roles: ['studio-operator'] };
    const second = new Browser();
    await second.signIn();
    assert.deepEqual([(await second.me()).data.user_role, (await first.me()).data.user_role], [2, 2]);
  });

  it('a session by the provider ends after twelve hours however often it is renewed, since only a sign-in tells of a role that was withdrawn', async () => {
    provider.account = { sub: 'u-12', roles: ['studio-admin'], preferred_username: 'walter' };
    const browser = new Browser();
    await browser.signIn();
    const { csrf_token, expires_at } = (await browser.me()).data as Record<string, string>;
    app.clock.advance(11 * 60 * MINUTE_MS);
    const cookie = `onair_session=${browser.cookie('onair_session')}`;
    const headers = { cookie, 'x-csrf-token': csrf_token! };
    const renewed = await api.rest.request(`${PUBLIC_URL}/svcapiv2/security/renew`, { method: 'POST', headers });
    assert.equal(((await renewed.json()) as { data: { expires_at: string } }).data.expires_at, expires_at);
    app.clock.advance(60 * MINUTE_MS);
    assert.equal((await browser.me()).status, 401);
  });

  it('an account without a role is not let in, and what it had open ends', async () => {
    provider.account = { sub: 'u-4', roles: ['studio-operator'], preferred_username: 'lee' };
    const first = new Browser();
    await first.signIn();
    provider.account = { ...provider.account, roles: ['accounting'] };
    const browser = new Browser();
    const { response } = await browser.signIn();
    assert.equal(response.status, 403);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/u);
    assert.match(await response.text(), /has no role in this service.*studio-admin, studio-operator/su);
    assert.equal(browser.cookie('onair_session'), undefined);
    assert.equal((await first.me()).status, 401);
    provider.account = { sub: 'u-5', preferred_username: 'nobody' };
    const unknown = await new Browser().signIn();
    assert.equal(unknown.response.status, 403);
    assert.equal(await userNamed('nobody'), undefined, 'no User is made');
    const audit = await app.rows('getAuditLog', { operation: 'login', fields: '*' });
    assert.ok(audit.some(({ outcome, user }) => outcome === 'forbidden' && user === 'lee'));
  });

  it('a User who is not active is refused though the provider lets the account in', async () => {
    provider.account = { sub: 'u-6', roles: 'studio-operator', preferred_username: 'max' };
    await new Browser().signIn();
    await app.call('updateUser', { userId: (await userNamed('max')).id, active: false });
    const browser = new Browser();
    const { response } = await browser.signIn();
    assert.equal(response.status, 403);
    assert.match(await response.text(), /is not active/u);
    assert.equal(browser.cookie('onair_session'), undefined);
  });

  it('a wrong state, another browser, a second use and a late answer are refused before the provider is asked', async () => {
    provider.account = { sub: 'u-7', roles: 'studio-operator', preferred_username: 'ida' };
    const isCallback = (url: string): boolean => url.startsWith(PUBLIC_URL + CALLBACK);
    const begin = async (browser: Browser): Promise<string> =>
      (await browser.follow(PUBLIC_URL + LOGIN, isCallback)).url;
    const refused = async (browser: Browser, url: string): Promise<void> => {
      const before = provider.exchanges;
      const response = await browser.get(url, 'application/json');
      assert.deepEqual([response.status, ((await response.json()) as any).code], [401, 'unauthenticated']);
      assert.equal(
        response.headers.getSetCookie().some((cookie) => /onair_session=\w/u.test(cookie)),
        false,
      );
      assert.equal(provider.exchanges, before);
    };
    const browser = new Browser();
    const url = await begin(browser);
    const forged = new URL(url);
    forged.searchParams.set('state', 'of-somebody-else');
    await refused(browser, forged.href);
    await refused(new Browser(), url);
    const taken = new Browser();
    const code = await begin(taken);
    const sealed = taken.cookie('onair_sign_in') ?? '';
    assert.equal((await taken.get(code)).status, 303);
    const replay = await api.rest.request(code, { headers: { cookie: `onair_sign_in=${sealed}` } });
    assert.equal(replay.status, 401);
    const late = new Browser();
    const lateUrl = await begin(late);
    app.clock.advance(10 * MINUTE_MS);
    await refused(late, lateUrl);
  });

  it('a code that the provider does not take, and a person who declines, are told', async () => {
    provider.account = { sub: 'u-8', roles: 'studio-operator' };
    const browser = new Browser();
    const { url } = await browser.follow(PUBLIC_URL + LOGIN, (each) => each.startsWith(PUBLIC_URL + CALLBACK));
    const forged = new URL(url);
    forged.searchParams.set('code', 'invented');
    const wrong = await browser.get(forged.href, 'application/json');
    assert.equal(wrong.status, 401);
    provider.account = null;
    const declined = await new Browser().signIn();
    assert.equal(declined.response.status, 403);
    assert.match(await declined.response.text(), /the person has declined/u);
  });
});

describe('the sign-in by an identity provider that does not answer', () => {
  before(async () => void (provider = await startIdentityProvider(PUBLIC_URL + CALLBACK)));

  it('a provider that is down is named, the next try asks again, and passwords and tokens go on', async () => {
    await provider.close();
    await open();
    const { response } = await new Browser().signIn();
    assert.equal(response.status, 502);
    assert.match(await response.text(), /does not answer with its configuration/u);
    assert.equal((await api.send('GET', '/security/me')).status, 200);
    api.feed.close();
    await app.close();
  });

  it('without a provider both addresses say so', async () => {
    app = await startTestApp();
    api = await openRestApi(app);
    for (const path of ['/security/oidc/login', '/security/oidc/callback'])
      assert.equal((await api.send('GET', path)).status, 404, path);
    api.feed.close();
    await app.close();
  });
});
