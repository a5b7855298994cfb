/**
 * Proves access tokens that the authorization server of the deployment gives for `/mcp` (RFC 9068): signed by it, meant for this server, and
 * in their time. The library does the cryptography.
 */
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import * as client from 'openid-client';
import { AppError } from '../../../domain/base/errors.ts';
import { MAX_CLIENT_ID } from '../../../domain/shapes/installation/oauth.ts';
import { textOf, type Claims } from '../../account-claims.ts';
import { DISCOVERED_MS, ISSUER_TIMEOUT_SECONDS, rememberedFor, requestsTo } from '../../discovery.ts';

export interface ProvenAccess {
  issuer: string;
  /** Names the account at its issuer. */
  subject: string;
  clientId: string;
  scopes: readonly string[];
  /** When the person signed in at the issuer, where it says so. */
  signedInMs: number | undefined;
  /** When the token was given, where it says so. */
  issuedMs: number | undefined;
  expiresMs: number;
  claims: Claims;
}

export interface AccessTokens {
  /** undefined for a token that is not one of the issuer for this server, or is over. Rejects with AppError upstream_failed. */
  prove(token: string): Promise<ProvenAccess | undefined>;
}

interface Settings {
  issuer: string;
  /** The address of `/mcp`, which a token must be meant for. */
  resource: string;
}

interface Discovered {
  issuer: string;
  keys: ReturnType<typeof createRemoteJWKSet>;
}

const CLOCK_TOLERANCE_SECONDS = 30;
/** Keyed hashes are left out: whoever can prove such a token could write one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Some servers say plain JWT. What else is signed by them is no access token. */
const TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt']);

export function createAccessTokens(settings: Settings): AccessTokens {
  const server = rememberedFor(DISCOVERED_MS, async () => {
    try {
      return await discover(settings.issuer);
    } catch (error) {
      throw failed(error, settings.issuer);
    }
  });

  return {
    async prove(token) {
      const { issuer, keys } = await server();
      try {
        const { payload, protectedHeader } = await jwtVerify(token, keys, {
          issuer,
          audience: settings.resource,
          algorithms: ALGORITHMS,
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          requiredClaims: ['sub', 'exp'],
        });
        return TYPES.has((protectedHeader.typ ?? 'JWT').toLowerCase()) ? read(payload, issuer) : undefined;
      } catch (error) {
        if (isOfToken(error)) return undefined;
        throw failed(error, settings.issuer);
      }
    },
  };
}

async function discover(issuer: string): Promise<Discovered> {
  const server = new URL(issuer);
  const find = (algorithm: 'oidc' | 'oauth2'): Promise<client.Configuration> =>
    client.discovery(server, 'onair', undefined, client.None(), { ...requestsTo(server), algorithm });
  // A server that signs nobody in has the document of OAuth alone (RFC 8414).
  const found = await find('oidc').catch(() => find('oauth2'));
  const { issuer: named, jwks_uri } = found.serverMetadata();
  if (jwks_uri === undefined) throw new Error('its configuration names no keys (jwks_uri)');
  return {
    issuer: named,
    keys: createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: ISSUER_TIMEOUT_SECONDS * 1000 }),
  };
}

function read(payload: JWTPayload, issuer: string): ProvenAccess | undefined {
  // RFC 9068 names the client; providers from before it have azp.
  const clientId = textOf(payload['client_id']) || textOf(payload['azp']);
  if (clientId === '' || clientId.length > MAX_CLIENT_ID) return undefined;
  const { auth_time: signedIn, iat } = payload;
  return {
    issuer,
    subject: payload.sub!,
    clientId,
    scopes: scopesIn(payload),
    signedInMs: typeof signedIn === 'number' ? signedIn * 1000 : undefined,
    issuedMs: iat === undefined ? undefined : iat * 1000,
    expiresMs: payload.exp! * 1000,
    claims: payload,
  };
}

/** RFC 9068 has one text, some providers a list, or the name `scp`. */
function scopesIn({ scope, scp }: JWTPayload): string[] {
  return [scope, scp].flatMap((value) => (Array.isArray(value) ? value : textOf(value).split(' '))).map(textOf);
}

/** The keys or their server are at fault for the others. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}

function failed(error: unknown, issuer: string): AppError {
  const { message } = error as { message?: unknown };
  return new AppError('upstream_failed', `The authorization server ${issuer} does not answer with its configuration.`, {
    cause: error,
    upstream: textOf(message).slice(0, 500),
    remedy: 'Try again in a moment; an Administrator checks ONAIR_OAUTH_ISSUER. API tokens of this server go on.',
  });
}
