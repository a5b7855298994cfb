/** A program gets a row of API tokens whose access token lasts an hour, and a refresh token that counts once. */
import { randomBytes } from 'node:crypto';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { hashToken, OAUTH_SCOPES, type ApiToken } from '../../domain/shapes/installation/security.ts';
import { MAX_CLIENT_NAME, type OAuthCodeRow, type OAuthGrant } from '../../domain/shapes/installation/oauth.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import { accessEnded } from '../../toolkit/ended-access.ts';
import { note, type Noted } from './notes.ts';
import { destinationOf } from './redirects.ts';
import { refusal } from './refusals.ts';
import { accessToken, randomSecret, readRefreshToken, refreshText, type RefreshToken } from './secrets.ts';

const ACCESS_MS = 3_600_000;
/** Access that is not refreshed for so long ends. */
const REFRESH_MS = 30 * 86_400_000;
/** So long the row of access that has ended stays: a second use of its code or refresh token is told with its name. */
const ENDED_KEPT_MS = 30 * 86_400_000;
const SWEEP_LIMIT = 20;

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface Tokens {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

export interface TokenDeps {
  store: Pick<Store, 'find' | 'tx' | 'appliedByAll'>;
  clock: Pick<Clock, 'now'>;
}

export interface Refresh {
  refreshToken: string;
  clientId: string;
  scope: string | undefined;
  requestId: string;
}

interface Secrets {
  kid: string;
  family: string;
}

/** The part of a row that each refresh renews. */
function renewal(
  { kid, family }: Secrets,
  { profile, ends_at }: Pick<OAuthCodeRow, 'profile' | 'ends_at'>,
  nowMs: number,
) {
  const access = accessToken(kid);
  const own = randomSecret();
  const endMs = Math.min(nowMs + REFRESH_MS, ends_at === null ? Infinity : Date.parse(ends_at));
  const accessEndMs = Math.min(nowMs + ACCESS_MS, endMs);
  const tokens: Tokens = {
    access_token: access.token,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor((accessEndMs - nowMs) / 1000)),
    refresh_token: refreshText({ kid, family, own }),
    scope: OAUTH_SCOPES[profile],
  };
  const times = { updated_at: toIso(nowMs), expires_at: toIso(endMs) };
  const used = { access_expires_at: toIso(accessEndMs), last_used_at: toIso(nowMs) };
  return { tokens, row: { token_hash: access.hash, ...times }, oauth: { refresh_hash: hashToken(own), ...used } };
}

export function newGrant(code: Readonly<OAuthCodeRow>, nowMs: number): { row: Omit<ApiToken, 'id'>; tokens: Tokens } {
  const secrets = { kid: randomBytes(6).toString('hex'), family: randomSecret() };
  const { tokens, row, oauth } = renewal(secrets, code, nowMs);
  const { client_id, client_name, profile, operations, ends_at, userId, redirect_uri } = code;
  const grant: OAuthGrant = {
    client_id,
    client_name,
    redirect_host: destinationOf(redirect_uri).host,
    family_hash: hashToken(secrets.family),
    ends_at,
    ...oauth,
  };
  const name = client_name.slice(0, MAX_CLIENT_NAME);
  const own = { kid: secrets.kid, name, userId, created_at: toIso(nowMs), revoked_at: null };
  return { row: { ...own, ...row, profile, operations, oauth: grant }, tokens };
}

/** Deletes what an earlier connection of this User has left and nobody can use again. */
export function sweepEnded(tx: Tx, userId: number, nowMs: number): void {
  const isOver = (at: string | null): boolean => at !== null && Date.parse(at) < nowMs - ENDED_KEPT_MS;
  const ended = tx.find('tokens', { where: { userId } }).rows.filter(
    // Tokens of another authorization server are refused by the row of the access that was taken away.
    ({ oauth, revoked_at, expires_at }) =>
      oauth !== undefined && oauth.issuer === undefined && (isOver(revoked_at) || isOver(expires_at)),
  );
  for (const { id } of ended.slice(0, SWEEP_LIMIT)) tx.delete('tokens', id);
}

/** Rejects with AppError invalid_grant, or invalid_scope. A refresh token that was used before ends the access. */
export async function refreshTokens({ store, clock }: TokenDeps, refresh: Refresh): Promise<Tokens> {
  const sent = readRefreshToken(refresh.refreshToken);
  const found = sent && (await rowOf(store, sent));
  const given = await store.tx((tx) => {
    const token = found && tx.get('tokens', found.id);
    const nowMs = clock.now();
    if (sent === undefined || token?.oauth === undefined || token.oauth.client_id !== refresh.clientId)
      return undefined;
    if (token.revoked_at !== null || Date.parse(token.expires_at ?? '') <= nowMs) return undefined;
    if (token.oauth.refresh_hash !== hashToken(sent.own)) {
      const how = { operation: 'refreshToken', outcome: 'unauthenticated', at: toIso(nowMs) } as const;
      revokeRow(tx, token, { ...how, requestId: refresh.requestId });
      return undefined;
    }
    if (tx.get('users', token.userId)?.active !== true) return undefined;
    const { profile, ends_at } = { profile: token.profile!, ends_at: token.oauth.ends_at };
    assertSameScope(refresh.scope, OAUTH_SCOPES[profile]);
    const { tokens, row, oauth } = renewal(sent, { profile, ends_at }, nowMs);
    tx.put('tokens', { ...token, ...row, oauth: { ...token.oauth, ...oauth } });
    return tokens;
  });
  if (given !== undefined) return given;
  throw refusal(
    'invalid_grant',
    'The refresh token is not known, is over, was used or revoked, or is of another program.',
  );
}

/** The row whose refresh token, present or former, this is. */
async function rowOf(
  store: Pick<Store, 'find'>,
  { kid, family }: RefreshToken,
): Promise<Readonly<ApiToken> | undefined> {
  const [row] = (await store.find('tokens', { where: { kid }, limit: 1 })).rows;
  return row?.oauth?.family_hash === hashToken(family) ? row : undefined;
}

/** More is given by another consent alone, and less than one profile cannot be named. */
function assertSameScope(scope: string | undefined, given: string): void {
  const wider = (scope ?? '').split(' ').find((word) => word !== '' && word !== given);
  if (wider !== undefined) throw refusal('invalid_scope', `What was given is ${given}. Ask the person again for more.`);
}

interface Revocation {
  token: string;
  clientId: string | undefined;
  requestId: string;
}

/** RFC 7009: an access or a refresh token ends both; one that is not known has ended already. Rejects with AppError invalid_client. */
export async function revokeTokens({ store, clock }: TokenDeps, revocation: Revocation): Promise<void> {
  const { token: text, clientId, requestId } = revocation;
  const refreshToken = readRefreshToken(text);
  const found = refreshToken === undefined ? await rowOfAccess(store, text) : await rowOf(store, refreshToken);
  // A token of another kind is ended by an Administrator.
  if (found?.oauth === undefined) return;
  if (clientId !== undefined && clientId !== found.oauth.client_id)
    throw refusal('invalid_client', 'The token is of another program.');
  await store.tx((tx) => {
    const token = tx.get('tokens', found.id);
    if (token === undefined || token.revoked_at !== null) return;
    revokeRow(tx, token, { operation: 'disconnectAssistant', outcome: 'ok', at: toIso(clock.now()), requestId });
  });
  await accessEnded(store, undefined);
}

async function rowOfAccess(store: Pick<Store, 'find'>, text: string): Promise<Readonly<ApiToken> | undefined> {
  return (await store.find('tokens', { where: { token_hash: hashToken(text) }, limit: 1 })).rows[0];
}

/** The row stays for a while, as that of every revoked token does. */
export function revokeRow(
  tx: Tx,
  token: Readonly<ApiToken>,
  how: Pick<Noted, 'operation' | 'outcome' | 'at' | 'requestId'>,
): void {
  tx.put('tokens', { ...token, revoked_at: how.at, updated_at: how.at });
  const username = tx.get('users', token.userId)?.username ?? '(unknown)';
  note(tx, { ...how, client: token.name, username, kid: token.kid, tokenId: token.id });
}
