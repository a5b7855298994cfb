/** A real identity provider (oidc-provider) on loopback, whose people need no form: the account of the moment signs in at once. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { errors, type Configuration } from 'oidc-provider';

export interface Account {
  sub: string;
  roles?: string | string[];
  preferred_username?: string;
  email?: string;
  given_name?: string;
  family_name?: string;
}

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next; null: the person declines. */
  account: Account | null;
  /** The requests that came to the token endpoint. */
  readonly exchanges: number;
  close(): Promise<void>;
}

const CLIENT_ID = 'onair';
const CLIENT_SECRET = 'a-secret-of-the-tests-that-is-long-enough';
const KEY = 'cookies of the tests';

/** Has it give access to a resource too: programs register themselves, and get JWTs with this scope and the roles of the person. */
export interface ResourceOptions {
  /** The address of the resource; it is asked for at each request. */
  resource: () => string;
  /** The scopes that programs may ask for. */
  scopes: readonly string[];
  /** The scope that a person gives next. */
  scope: () => string;
}

/** `redirectUri` is the callback of the server under test. */
export async function startIdentityProvider(redirectUri: string, access?: ResourceOptions): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let account: Account | null = null;
  let exchanges = 0;
  const accounts = new Map<string, Account>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] }],
    claims: {
      openid: ['sub'],
      roles: ['roles'],
      profile: ['preferred_username', 'given_name', 'family_name'],
      email: ['email'],
    },
    scopes: ['openid', 'profile', 'email', 'roles', ...(access ? ['offline_access', ...access.scopes] : [])],
    cookies: { keys: [KEY] },
    features: { devInteractions: { enabled: false }, ...(access && accessFeatures(access)) },
    ...(access && { extraTokenClaims: (_context, token) => ({ roles: accounts.get(accountOf(token))?.roles }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...accounts.get(sub)!, sub }) as never }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/token') === true) exchanges += 1;
    if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
    const person = account;
    if (person === null)
      return void provider.interactionFinished(request, response, {
        error: 'access_denied',
        error_description: 'the person has declined',
      });
    accounts.set(person.sub, person);
    void finish(provider, request, response, person.sub, access);
  });
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    get account() {
      return account;
    },
    set account(next) {
      account = next;
    },
    get exchanges() {
      return exchanges;
    },
    close: () => closed(server),
  };
}

function accessFeatures({ resource, scope }: ResourceOptions): Configuration['features'] {
  return {
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, indicator) => {
        if (indicator !== resource()) throw new errors.InvalidTarget();
        return { scope: scope(), audience: indicator, accessTokenFormat: 'jwt', accessTokenTTL: 3600 };
      },
    },
  };
}

function accountOf(token: object): string {
  return (token as { accountId?: string }).accountId ?? '';
}

/** The first interaction signs in, the second one consents. */
async function finish(
  provider: Provider,
  request: Parameters<Provider['interactionFinished']>[0],
  response: Parameters<Provider['interactionFinished']>[1],
  accountId: string,
  access: ResourceOptions | undefined,
): Promise<void> {
  const { prompt, params, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId } });
  const clientId = String(params['client_id']);
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = found ?? new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(String(params['scope']));
  if (access !== undefined) grant.addResourceScope(access.resource(), access.scope());
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
