/** Codes: what a person has consented to, from the consent until the program has fetched its tokens. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { hashToken, type ApiToken, type ProfileName } from '../../domain/shapes/installation/security.ts';
import type { OAuthCodeRow } from '../../domain/shapes/installation/oauth.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import type { User } from '../../domain/shapes/installation/user.ts';
import type { AuthorizationRequest, AuthorizationTarget } from './authorization.ts';
import { keepClient } from './clients.ts';
import { note } from './notes.ts';
import { refusal } from './refusals.ts';
import { fitsChallenge, randomSecret } from './secrets.ts';
import { newGrant, revokeRow, sweepEnded, type Tokens } from './tokens.ts';

/** The browser takes the code to the program at once. */
const CODE_MS = 60_000;
/** So long a second use of a code ends what the first one gave. */
const REMEMBERED_MS = 24 * 3_600_000;
const SWEEP_LIMIT = 20;
const DAY_MS = 86_400_000;

export interface Consent {
  userId: number;
  target: AuthorizationTarget;
  request: AuthorizationRequest;
  profile: ProfileName;
  operations: readonly string[] | null;
  /** Days until access ends; null: it lasts as long as it is used. */
  days: number | null;
  requestId: string;
}

export interface CodeExchange {
  code: string;
  clientId: string;
  redirectUri: string;
  verifier: string;
  requestId: string;
}

export interface CodeDeps {
  store: Pick<Store, 'find' | 'tx'>;
  clock: Pick<Clock, 'now'>;
}

/** Answers the code. Rejects with AppError access_denied for a user who may not connect assistants. */
export function issueCode({ store, clock }: CodeDeps, consent: Consent): Promise<string> {
  const { userId, target, request, profile, operations, days, requestId } = consent;
  const code = `onair_code_${randomSecret()}`;
  const nowMs = clock.now();
  const { client, redirectUri: redirect_uri } = target;
  const row: Omit<OAuthCodeRow, 'id'> = {
    code_hash: hashToken(code),
    expires_at: toIso(nowMs + CODE_MS),
    userId,
    client_id: client.id,
    client_name: client.name,
    redirect_uri,
    challenge: request.challenge,
    profile,
    operations: operations === null ? null : [...operations],
    ends_at: days === null ? null : toIso(nowMs + days * DAY_MS),
    tokenId: null,
  };
  return store.tx((tx) => {
    const user = connectingUser(tx, userId);
    if (user === undefined) throw refusal('access_denied', 'The profile of this user may not connect assistants.');
    const past = tx.find('oauthCodes', {
      where: { expires_at: { lt: toIso(nowMs - REMEMBERED_MS) } },
      limit: SWEEP_LIMIT,
    });
    for (const { id } of past.rows) tx.delete('oauthCodes', id);
    keepClient(tx, client.id, nowMs);
    tx.insert('oauthCodes', row);
    const at = toIso(nowMs);
    const { username } = user;
    note(tx, {
      operation: 'connectAssistant',
      outcome: 'ok',
      client: client.name,
      username,
      kid: null,
      tokenId: null,
      at,
      requestId,
    });
    return code;
  });
}

/** undefined for one who is not active, or whose profile keeps him from issuing tokens. */
function connectingUser(tx: Tx, userId: number): Readonly<User> | undefined {
  const user = tx.get('users', userId);
  return user?.active === true && user.profile.api ? user : undefined;
}

/** Rejects with AppError invalid_grant. A second use ends what the first one gave: one of the two was not the program. */
export async function exchangeCode({ store, clock }: CodeDeps, exchange: CodeExchange): Promise<Tokens> {
  const [found] = (await store.find('oauthCodes', { where: { code_hash: hashToken(exchange.code) }, limit: 1 })).rows;
  const given = await store.tx((tx) => {
    const code = found && tx.get('oauthCodes', found.id);
    // Who holds the code alone must neither get tokens by it nor end those of the program.
    if (code === undefined || !fits(code, exchange)) return undefined;
    const nowMs = clock.now();
    if (code.tokenId !== null) return endReplayed(tx, code, exchange.requestId, nowMs);
    const user = connectingUser(tx, code.userId);
    if (Date.parse(code.expires_at) <= nowMs || user === undefined) return undefined;
    sweepEnded(tx, user.id, nowMs);
    const { row, tokens } = newGrant(code, nowMs);
    const token = tx.insert('tokens', row);
    tx.put('oauthCodes', { ...code, tokenId: token.id });
    const what = {
      operation: 'exchangeCode',
      outcome: 'ok',
      client: code.client_name,
      username: user.username,
    } as const;
    note(tx, { ...what, kid: token.kid, tokenId: token.id, at: row.created_at, requestId: exchange.requestId });
    return tokens;
  });
  if (given !== undefined) return given;
  throw refusal(
    'invalid_grant',
    'The code is not known, is over, was used, or was given to another program or address.',
  );
}

function fits(code: Readonly<OAuthCodeRow>, { clientId, redirectUri, verifier }: CodeExchange): boolean {
  return code.client_id === clientId && code.redirect_uri === redirectUri && fitsChallenge(verifier, code.challenge);
}

function endReplayed(tx: Tx, code: Readonly<OAuthCodeRow>, requestId: string, nowMs: number): undefined {
  const token: Readonly<ApiToken> | undefined = tx.get('tokens', code.tokenId!);
  if (token === undefined || token.revoked_at !== null) return;
  revokeRow(tx, token, { operation: 'exchangeCode', outcome: 'unauthenticated', at: toIso(nowMs), requestId });
}
