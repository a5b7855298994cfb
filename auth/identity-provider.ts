/**
 * Speaks OpenID Connect with one identity provider: the authorization code flow with PKCE, state and nonce. The library does the protocol,
 * and checks issuer, audience, signature and times of every token.
 */
import * as client from 'openid-client';
import { AppError } from '../domain/base/errors.ts';
import { claimAt, rolesIn } from './account-claims.ts';
import { DISCOVERED_MS, rememberedFor, requestsTo } from './discovery.ts';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim with the roles; a dot leads into an object. */
  roleClaim: string;
}

/** The secrets of one sign-in that is under way; the browser brings them back. */
export interface OpenSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

export interface ProvenAccount {
  issuer: string;
  /** Names the account at its issuer for good, as no name and no address does. */
  subject: string;
  /** The values of the role claim. */
  roles: readonly string[];
  claims: Readonly<Record<string, unknown>>;
}

export interface IdentityProvider {
  /** Answers where the browser goes. Rejects with AppError upstream_failed. */
  begin(redirectUri: string): Promise<{ url: string; open: OpenSignIn }>;
  /** `callback` is the redirect URI with the query that came. Rejects with AppError. */
  finish(callback: URL, open: OpenSignIn): Promise<ProvenAccount>;
}

const MAX_UPSTREAM = 500;
const SCOPES = ['openid', 'profile', 'email'];

export function createIdentityProvider(settings: ProviderSettings): IdentityProvider {
  const { issuer, roleClaim } = settings;
  const configuration = rememberedFor(DISCOVERED_MS, async () => {
    try {
      return await discover(settings);
    } catch (error) {
      throw failed(error, `The identity provider ${issuer} does not answer with its configuration.`);
    }
  });

  return {
    async begin(redirectUri) {
      const config = await configuration();
      const open = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopesOf(config, roleClaim).join(' '),
        state: open.state,
        nonce: open.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(open.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, open };
    },
    async finish(callback, { state, nonce, verifier }) {
      const config = await configuration();
      try {
        const tokens = await client.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const proven = tokens.claims()!;
        const claims = await withUserInfo(config, tokens.access_token, proven, roleClaim);
        return { issuer: proven.iss, subject: proven.sub, roles: rolesIn(claims, roleClaim), claims };
      } catch (error) {
        throw refusal(error, issuer);
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<client.Configuration> {
  const server = new URL(issuer);
  const { execute, timeout } = requestsTo(server);
  const found = await client.discovery(server, clientId, clientSecret, undefined, { execute, timeout });
  const { token_endpoint_auth_methods_supported: methods } = found.serverMetadata();
  // A client is registered for the Basic scheme unless it says otherwise (OpenID Connect Discovery 1.0 §3).
  if (methods !== undefined && !methods.includes('client_secret_basic')) return prepared(found);
  const basic = client.ClientSecretBasic(clientSecret);
  const config = new client.Configuration(found.serverMetadata(), clientId, clientSecret, basic);
  for (const allow of execute) allow(config);
  config.timeout = timeout;
  return prepared(config);
}

/** The signature of an ID token is checked also where TLS would vouch for it. */
function prepared(config: client.Configuration): client.Configuration {
  client.enableNonRepudiationChecks(config);
  return config;
}

/** Some providers give their roles for a scope of the claim's name alone. */
function scopesOf(config: client.Configuration, roleClaim: string): string[] {
  const { scopes_supported: supported } = config.serverMetadata();
  const wanted = [...SCOPES, ...(supported?.includes(roleClaim) === true ? [roleClaim] : [])];
  return wanted.filter((scope) => scope === 'openid' || supported?.includes(scope) !== false);
}

/** Many providers keep an ID token small and answer the other claims at their userinfo endpoint. */
async function withUserInfo(
  config: client.Configuration,
  accessToken: string,
  proven: client.IDToken,
  roleClaim: string,
): Promise<Record<string, unknown>> {
  if (claimAt(proven, roleClaim) !== undefined || config.serverMetadata().userinfo_endpoint === undefined)
    return proven;
  return { ...(await client.fetchUserInfo(config, accessToken, proven.sub)), ...proven };
}

function refusal(error: unknown, issuer: string): AppError {
  if (error instanceof client.AuthorizationResponseError)
    return new AppError('forbidden', `The identity provider ${issuer} has refused the sign-in.`, {
      ...wordsOf(error),
      remedy: 'Sign in there with an account that may use this service, or ask an Administrator.',
    });
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant')
    return new AppError('unauthenticated', 'The sign-in has expired or was used already. Begin it again.', {
      ...wordsOf(error),
      remedy: 'Begin the sign-in again.',
    });
  if (error instanceof client.ResponseBodyError)
    return failed(
      error,
      `The identity provider ${issuer} refuses this server. An Administrator checks ONAIR_OIDC_CLIENT_ID and ONAIR_OIDC_CLIENT_SECRET.`,
    );
  return failed(error, `The answer of the identity provider ${issuer} is not valid.`);
}

function failed(error: unknown, detail: string): AppError {
  if (error instanceof AppError) return error;
  return new AppError('upstream_failed', detail, {
    cause: error,
    ...wordsOf(error),
    remedy:
      'Try again in a moment; an Administrator checks ONAIR_OIDC_ISSUER and the log. Sign-in with a password goes on.',
  });
}

/** The words of the provider or of the library. */
function wordsOf(error: unknown): { upstream: string } {
  const of = error as {
    error?: unknown;
    error_description?: unknown;
    message?: unknown;
    cause?: { message?: unknown };
  };
  const parts = [of.error, of.error_description ?? of.message, of.cause?.message];
  const words = parts.filter((part): part is string => typeof part === 'string' && part !== '');
  return { upstream: [...new Set(words)].join(': ').slice(0, MAX_UPSTREAM) };
}
