/**
 * Finds the caller behind a bearer token. Every API asks here on every call, and the rows are read anew, so a revocation is in force at
 * once.
 */
import { createHmac } from 'node:crypto';
import { assertKnown } from './stale-rows.ts';
import type { Clock } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import {
  hashToken,
  type ApiToken,
  type Caller,
  type Role,
  type TokenScope,
} from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import type { User } from '../domain/shapes/installation/user.ts';
import { createLastUse } from './last-use.ts';
import type { ProviderAccess } from './oauth/provider/provider-access.ts';
import { createRefusedTokens, type RefusedToken, type TokenOrigin } from './refused-tokens.ts';

export interface Auth {
  /** Rejects with AppError unauthenticated, which the audit notes. `bearer` is the token alone, without the scheme. */
  authenticate(bearer: string | undefined, origin: TokenOrigin): Promise<Caller>;
}

interface AuthDeps {
  store: Pick<Store, 'find' | 'get' | 'tx' | 'health' | 'staleMs'>;
  clock: Pick<Clock, 'now'>;
  /** Lets in who has a token of the authorization server of the deployment; left out: there is none. */
  provider?: ProviderAccess | undefined;
}

/** Our tokens have 62 characters, and a bootstrap token may be longer; a longer text is not worth hashing. */
const MAX_TOKEN = 512;
/** Stands for the hash of such a text. */
const TOO_LONG = 'too long';

/** The text names the purpose of the key, so that it can never equal a key that another use derives from the same token. */
const SEAL_PURPOSE = 'onair/idempotency-seal/v1';

/** Number of callers that are remembered; a server has fewer at once. */
const MAX_REMEMBERED = 1000;

/** A caller with the rows that it was made of. A row that is written again is another object. */
interface KnownCaller {
  token: Readonly<ApiToken>;
  user: Readonly<User>;
  caller: Caller;
}

export function createAuth({ store, clock, provider }: AuthDeps): Auth {
  const note = createRefusedTokens({ store, clock });
  const noteUse = createLastUse({ store, clock });
  // The rows are read each time. Ids are never reused; a row that OAuth gave gets another hash by each refresh, so the hash is compared.
  const knownByHash = new Map<string, KnownCaller>();

  async function tokenOf(
    bearer: string,
    hash: string,
    { resource, requestId }: TokenOrigin,
  ): Promise<Readonly<ApiToken> | undefined> {
    if (provider?.isOne(bearer) === true)
      return resource === 'mcp' ? provider.rowOf(bearer, hash, requestId) : undefined;
    const known = knownByHash.get(hash);
    const tokenRow = known === undefined ? undefined : (await store.get('tokens', known.token.id))?.row;
    return tokenRow?.token_hash === hash ? tokenRow : findToken(hash);
  }

  async function findToken(hash: string): Promise<Readonly<ApiToken> | undefined> {
    const [tokenRow] = (await store.find('tokens', { where: { token_hash: hash }, limit: 1 })).rows;
    return tokenRow;
  }

  function remember(hash: string, known: KnownCaller): Caller {
    if (knownByHash.size >= MAX_REMEMBERED) knownByHash.clear();
    knownByHash.set(hash, known);
    return known.caller;
  }

  async function refused(token: RefusedToken, origin: TokenOrigin): Promise<AppError> {
    await note(token, origin);
    return unauthenticated();
  }

  return {
    async authenticate(bearer, origin) {
      // A request without a token is no attempt: clients ask that way whether one is needed, and a page whether somebody is signed in.
      if (bearer === undefined || bearer === '') throw unauthenticated();
      assertKnown(store.staleMs());
      if (bearer.length > MAX_TOKEN && provider?.isOne(bearer) !== true)
        throw await refused({ hash: TOO_LONG }, origin);
      // The lookup is by hash: a timing attack could learn a prefix of a hash, which is no prefix of a token.
      const hash = hashToken(bearer);
      const token = await tokenOf(bearer, hash, origin);
      if (token === undefined) throw await refused({ hash }, origin);
      const user = (await store.get('users', token.userId))?.row;
      if (user?.active !== true || isOver(token, clock.now()) || !isMeantFor(token, origin)) {
        knownByHash.delete(hash);
        throw await refused({ hash, token, username: user?.username }, origin);
      }
      noteUse(token);
      const known = knownByHash.get(hash);
      if (known?.token === token && known.user === user) return known.caller;
      return remember(hash, { token, user, caller: new TokenCaller(user, token, sealKeyOf(bearer)) });
    },
  };
}

function isOver({ revoked_at, expires_at, oauth }: Readonly<ApiToken>, nowMs: number): boolean {
  return (
    revoked_at !== null ||
    (expires_at !== null && Date.parse(expires_at) <= nowMs) ||
    (oauth !== undefined && Date.parse(oauth.access_expires_at) <= nowMs)
  );
}

/** A person has consented to MCP, and to nothing else that takes tokens. */
function isMeantFor({ oauth }: Readonly<ApiToken>, { resource }: TokenOrigin): boolean {
  return oauth === undefined || resource === 'mcp';
}

/** Keys stay outside of the callers, which are logged and copied. The callers are remembered, because an entry costs more than a caller. */
const sealKeys = new WeakMap<Caller, Buffer>();

class TokenCaller implements Caller {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly api: boolean;
  readonly tokenKid: string;
  readonly scope: TokenScope | undefined;
  declare readonly client?: string;

  constructor(user: Readonly<User>, token: Readonly<ApiToken>, sealKey: Buffer) {
    this.userId = user.id;
    this.username = user.username;
    this.role = user.user_role;
    this.api = user.profile.api;
    this.tokenKid = token.kid;
    this.scope = scopeOf(token);
    if (token.oauth !== undefined) this.client = token.oauth.client_name;
    sealKeys.set(this, sealKey);
  }

  get sealKey(): Buffer {
    return sealKeys.get(this)!;
  }
}

/** undefined for a token without limits. */
function scopeOf({ profile = null, operations = null }: Readonly<ApiToken>): TokenScope | undefined {
  return profile === null && operations === null ? undefined : { profile, operations };
}

/** `secret` is the credential that was presented. */
export function sealKeyOf(secret: string): Buffer {
  return createHmac('sha256', secret).update(SEAL_PURPOSE).digest();
}

/** Answers the token of an Authorization header; undefined for none and for another scheme (RFC 6750 §2.1, the scheme in any case). */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/iu.exec(authorization ?? '')?.[1];
}

/** One text covers no token, unknown, expired, revoked and an inactive user: knowing which would help only a guesser. */
export function unauthenticated(): AppError {
  return new AppError(
    'unauthenticated',
    'The call carries no valid API token. Send the header Authorization: Bearer <token> with a token that is neither revoked nor expired.',
  );
}
