/**
 * Lets in the assistants that the authorization server of the deployment gives access to. Each assistant of a User has a row of API tokens, so
 * that limits, audit, roles and the end of its access are those of every token.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../../domain/base/errors.ts';
import type { Store, Tx } from '../../../domain/ports/store.ts';
import { signedInUser, userOfIdentity } from '../../../domain/rules/installation/identity.ts';
import { MAX_CLIENT_NAME, type OAuthGrant } from '../../../domain/shapes/installation/oauth.ts';
import { hashToken, type ApiToken, type ProfileName } from '../../../domain/shapes/installation/security.ts';
import type { User } from '../../../domain/shapes/installation/user.ts';
import { toIso, type Clock } from '../../../domain/time/clock.ts';
import { namesOf, rolesIn, roleOf, textOf, type RoleNames } from '../../account-claims.ts';
import { note } from '../notes.ts';
import { ALL_SCOPES, grantedProfile } from '../scopes.ts';
import { randomSecret } from '../secrets.ts';
import type { AccessTokens, ProvenAccess } from './access-tokens.ts';

export interface ProviderAccess {
  /** Whether a bearer token has the form of those of the authorization server. */
  isOne(bearer: string): boolean;
  /**
   * The row of the assistant; undefined for a token that is not valid. Rejects with AppError: forbidden for an account that has no role here
   * or may not connect assistants, upstream_failed.
   */
  rowOf(bearer: string, hash: string, requestId: string): Promise<Readonly<ApiToken> | undefined>;
}

interface Deps extends RoleNames {
  tokens: AccessTokens;
  store: Pick<Store, 'get' | 'tx'>;
  clock: Pick<Clock, 'now'>;
}

/** Three parts in base64url (RFC 7519); tokens of this server have no dot. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/u;
const MAX_JWT = 16_384;
/** Tokens whose proof is remembered. */
const MAX_PROVEN = 1000;
/** Access that is not used for so long ends, as that which this server gives. */
const UNUSED_MS = 30 * 86_400_000;

export function createProviderAccess(deps: Deps): ProviderAccess {
  const { tokens, store, clock } = deps;
  const proven = new Map<string, { tokenId: number; expiresMs: number }>();

  async function rowOf(bearer: string, hash: string, requestId: string): Promise<Readonly<ApiToken> | undefined> {
    const known = proven.get(hash);
    if (known !== undefined)
      return known.expiresMs > clock.now() ? (await store.get('tokens', known.tokenId))?.row : undefined;
    const access = await tokens.prove(bearer);
    if (access === undefined) return undefined;
    const nowMs = clock.now();
    // In a commit of its own: an Administrator finds the account whose first call was refused.
    const user = await store.tx((tx) => userOf(tx, deps, access, toIso(nowMs)));
    const profile = profileFor(user, access);
    const row = await store.tx((tx) => admit(tx, { user, access, profile, nowMs, requestId }));
    if (row === undefined) return undefined;
    if (proven.size >= MAX_PROVEN) proven.clear();
    proven.set(hash, { tokenId: row.id, expiresMs: access.expiresMs });
    return row;
  }

  return { isOne: (bearer) => bearer.length <= MAX_JWT && JWT.test(bearer), rowOf };
}

interface Connection {
  user: Readonly<User>;
  access: ProvenAccess;
  profile: ProfileName;
  nowMs: number;
  requestId: string;
}

function admit(tx: Tx, connection: Connection): Readonly<ApiToken> | undefined {
  const { user, access, profile, nowMs } = connection;
  const rows = tx.find('tokens', { where: { userId: user.id } }).rows.filter(isOf(access));
  const present = rows.find(({ revoked_at }) => revoked_at === null);
  // Access that was taken away comes back by a later sign-in of the person alone: the authorization server goes on giving tokens.
  const newerMs = access.signedInMs ?? (present && access.issuedMs) ?? -Infinity;
  if (rows.some(({ revoked_at }) => Date.parse(revoked_at ?? '') >= newerMs)) return undefined;
  if (present === undefined) return connect(tx, connection);
  const { access_expires_at: until } = present.oauth!;
  if (Date.parse(until) >= access.expiresMs && present.profile === profile) return present;
  const access_expires_at = toIso(Math.max(Date.parse(until), access.expiresMs));
  tx.put('tokens', { ...present, ...times(nowMs), profile, oauth: { ...present.oauth!, access_expires_at } });
  return tx.get('tokens', present.id);
}

/** Throws AppError forbidden for a User who may not connect assistants, and for a token that has no scope of this server. */
function profileFor({ username, profile: { api }, user_role }: Readonly<User>, { scopes }: ProvenAccess): ProfileName {
  if (!api)
    throw new AppError('forbidden', `The account ${username} may not connect assistants.`, {
      remedy: 'Ask an Administrator of this service to set api in the User profile.',
    });
  const profile = grantedProfile(scopes, user_role);
  if (profile !== undefined) return profile;
  throw new AppError('forbidden', `The token has none of the scopes of this server: ${ALL_SCOPES.join(', ')}.`, {
    remedy: 'Have the authorization server give one of them to this assistant.',
    facts: { error: 'insufficient_scope', scope: ALL_SCOPES[0]! },
  });
}

function connect(tx: Tx, { user, access, profile, nowMs, requestId }: Connection): Readonly<ApiToken> {
  const { clientId: client_id, issuer, claims, expiresMs } = access;
  const kid = randomBytes(6).toString('hex');
  const at = toIso(nowMs);
  const name = (textOf(claims['client_name']) || client_id).slice(0, MAX_CLIENT_NAME);
  const grant: OAuthGrant = {
    client_id,
    client_name: name,
    redirect_host: new URL(issuer).host,
    // No text is known that has these hashes: neither a token nor a refresh of this server's own kind is one of the row.
    family_hash: hashToken(randomSecret()),
    refresh_hash: hashToken(randomSecret()),
    access_expires_at: toIso(expiresMs),
    ends_at: null,
    last_used_at: at,
    issuer,
  };
  const own = { kid, name, userId: user.id, created_at: at, revoked_at: null, ...times(nowMs) };
  const token_hash = hashToken(randomSecret());
  const row = tx.insert('tokens', { ...own, profile, operations: null, token_hash, oauth: grant });
  const { username } = user;
  const what = { operation: 'connectAssistant', outcome: 'ok', via: 'oauth' } as const;
  note(tx, { ...what, client: name, username, kid, tokenId: row.id, at, requestId });
  return row;
}

function times(nowMs: number): { updated_at: string; expires_at: string } {
  return { updated_at: toIso(nowMs), expires_at: toIso(nowMs + UNUSED_MS) };
}

function isOf({ issuer, clientId }: ProvenAccess): (token: Readonly<ApiToken>) => boolean {
  return ({ oauth }) => oauth?.issuer === issuer && oauth.client_id === clientId;
}

/** The role that the token names wins; a token without a word of roles is for a User whom the same issuer has signed in before. */
function userOf(tx: Tx, deps: Deps, { issuer, subject, claims }: ProvenAccess, now: string): Readonly<User> {
  const identity = { issuer, subject };
  const roles = rolesIn(claims, deps.roleClaim);
  const role = roleOf(roles, deps);
  const names = namesOf(claims);
  // Access tokens often have no name.
  const named = { ...names, username: names.username || subject };
  if (role !== undefined) return signedInUser(tx, identity, named, role, now);
  const user = userOfIdentity(tx, identity);
  if (user?.active === true && roles.length === 0) return user;
  throw new AppError('forbidden', `The account ${JSON.stringify(subject.slice(0, 100))} has no role in this service.`, {
    remedy: `Sign in at the page of this server once, or ask for a role in the claim ${deps.roleClaim}.`,
  });
}
