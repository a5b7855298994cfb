/** REST, MCP and OAuth of the test application at one address, a person with a browser, and what a program of OAuth sends. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createAuth } from '../../auth/auth.ts';
import type { ProviderAccess } from '../../auth/oauth/provider/provider-access.ts';
import { createMcpApi } from '../../mcp/http.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { createPlaces } from '../../rest/oauth/place.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { NO_PROXIES } from '../../rest/client-address.ts';
import type { FakeClock } from '../helpers/fake-clock.ts';
import { openRestApi, type RestApi, type RestApiOptions } from './rest-api.ts';
import { startTestApp, type TestApp } from './test-app.ts';

export const PASSWORD = 'a password of the tests';
export const CALLBACK = 'https://assistant.example/callback';

export interface OAuthSite<C extends Clock = FakeClock> {
  app: TestApp<C>;
  api: RestApi;
  url: string;
  close(): Promise<void>;
}

export interface SiteOptions<C extends Clock> {
  clock?: C;
  /** The authorization server of the deployment, in place of this one. */
  provider?: { issuer: string; access: (app: TestApp<C>, url: () => string) => ProviderAccess };
}

/** `admin` and `operator` have the password and may connect assistants; `plain` has the password alone. */
export async function startOAuthSite<C extends Clock = FakeClock>(
  options: RestApiOptions = {},
  { provider, ...appOptions }: SiteOptions<C> = {},
): Promise<OAuthSite<C>> {
  const app = await startTestApp<C>(appOptions);
  for (const user of ['admin', 'operator', 'plain'] as const)
    await app.call('updateUser', { userId: app.users[user], password: PASSWORD });
  await app.call('updateUserProfile', { userId: app.users.operator, api: true });
  const api = await openRestApi(app, { ...options, providerIssuer: provider?.issuer });
  const { dispatcher, store, clock } = app;
  let url = '';
  const auth = createAuth({ store, clock, provider: provider?.access(app, () => url) });
  const mcp = createMcpApi({
    dispatcher,
    auth,
    profile: profileByName(options.profile),
    version: '0',
    openApi: () => '',
  });
  const { publicUrl } = options;
  const server = createServer({ keepAliveTimeout: 60_000 }, getRequestListener(api.rest.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const places = createPlaces({ publicUrl, url: () => publicUrl ?? url, proxies: NO_PROXIES });
  api.rest.all('/mcp', ({ req, env }) => mcp.answer(req.raw, places.metadataUrl(req.raw, env)));
  return {
    app,
    api,
    url,
    async close() {
      api.feed.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await app.close();
    },
  };
}

/** A page as a browser shows it: its form, with what stands in the fields. */
export interface Page {
  response: Response;
  html: string;
  action: string | undefined;
  fields: Record<string, string>;
}

/** A browser of one person: it keeps cookies, follows the pages of the site, and stops where it would leave it. */
export class Person {
  private readonly origin: string;
  readonly cookies = new Map<string, string>();
  language = 'en';

  constructor(origin: string) {
    this.origin = origin;
  }

  /** `isCrossSite` is a navigation that another site has begun: strict cookies stay away. */
  async get(url: string, isCrossSite = false): Promise<Page> {
    return this.read(await this.send(url, { method: 'GET' }, isCrossSite));
  }

  async submit({ action, fields }: Page, change: Record<string, string | string[]>, headers = {}): Promise<Page> {
    assert.ok(action !== undefined, 'the page has a form');
    const body = new URLSearchParams(fields);
    for (const [name, values] of Object.entries(change)) {
      body.delete(name);
      for (const value of [values].flat()) body.append(name, value);
    }
    const type = { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin, ...headers };
    return this.read(
      await this.send(new URL(action, this.origin).href, { method: 'POST', headers: type, body: body.toString() }),
    );
  }

  /** From the address that a program opens, over the sign-in, to the page of the consent. */
  async open(url: string, username = 'admin'): Promise<Page> {
    let page = await this.get(url, true);
    const next = /http-equiv="refresh" content="0; url=([^"]+)"/u.exec(page.html)?.[1];
    if (next !== undefined) page = await this.get(new URL(unescaped(next), this.origin).href);
    if (!page.html.includes('name="password"')) return page;
    const entered = await this.submit(page, { username, password: PASSWORD, decision: 'sign_in' });
    assert.equal(entered.response.status, 303, entered.html);
    return this.get(new URL(entered.response.headers.get('location')!, this.origin).href);
  }

  /** Answers the address that the browser is sent to. */
  async allow(url: string, change: Record<string, string | string[]> = {}, username = 'admin'): Promise<URL> {
    const page = await this.open(url, username);
    const { response, html } = await this.submit(page, { decision: 'allow', ...change });
    assert.equal(response.status, 303, html);
    return new URL(response.headers.get('location')!);
  }

  private async send(url: string, init: RequestInit, isCrossSite = false): Promise<Response> {
    const cookie = isCrossSite ? '' : [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      accept: 'text/html',
      'accept-language': this.language,
      ...init.headers,
      ...(cookie !== '' && { cookie }),
    };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }

  private async read(response: Response): Promise<Page> {
    const html = await response.text();
    const action = /<form method="post" action="([^"]*)"/u.exec(html)?.[1];
    const fields: Record<string, string> = {};
    for (const [tag] of html.matchAll(/<input[^>]*>/gu)) {
      const [name, value] = ['name', 'value'].map((each) => new RegExp(`${each}="([^"]*)"`, 'u').exec(tag)?.[1]);
      const isChosen = /type="hidden"/u.test(tag) || / checked/u.test(tag);
      if (name !== undefined && value !== undefined && isChosen) fields[name] = unescaped(value);
    }
    return { response, html, action: action === undefined ? undefined : unescaped(action), fields };
  }
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/gu, (_all, code: string) => String.fromCharCode(Number(code)));
}

/** A program that speaks OAuth by hand, so that it can do what no library does. */
export class Program {
  readonly site: string;
  readonly verifier = randomBytes(32).toString('base64url');
  redirectUri = CALLBACK;
  clientId = '';

  constructor(site: string) {
    this.site = site;
  }

  async register(metadata: object = { client_name: 'Assistant', redirect_uris: [CALLBACK] }): Promise<any> {
    const headers = { 'content-type': 'application/json', origin: 'https://assistant.example' };
    const response = await fetch(`${this.site}/oauth/register`, {
      method: 'POST',
      headers,
      body: JSON.stringify(metadata),
    });
    const body = (await response.json()) as { client_id: string; redirect_uris: string[] };
    if (response.status !== 201) return { status: response.status, ...body };
    this.clientId = body.client_id;
    this.redirectUri = body.redirect_uris[0]!;
    return { status: response.status, ...body };
  }

  /** A null leaves a parameter out. */
  authorizeUrl(change: Record<string, string | null> = {}): string {
    const parameters: Record<string, string | null> = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'a state',
      resource: `${this.site}/mcp`,
      ...change,
    };
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
    return `${this.site}/oauth/authorize?${new URLSearchParams(given).toString()}`;
  }

  async post(path: string, fields: Record<string, string>): Promise<{ status: number; headers: Headers; body: any }> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://assistant.example' };
    const response = await fetch(this.site + path, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields).toString(),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  exchange(code: string, change: Record<string, string> = {}): ReturnType<Program['post']> {
    const own = { client_id: this.clientId, redirect_uri: this.redirectUri, code_verifier: this.verifier };
    return this.post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      ...own,
      resource: `${this.site}/mcp`,
      ...change,
    });
  }

  refresh(refresh_token: string, change: Record<string, string> = {}): ReturnType<Program['post']> {
    return this.post('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: this.clientId,
      ...change,
    });
  }

  call(token: string, name: string, args: object = {}): Promise<Response> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const accept = 'application/json, text/event-stream';
    return fetch(`${this.site}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
    });
  }
}
