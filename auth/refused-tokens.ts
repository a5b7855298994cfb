/**
 * Notes refused tokens in the audit, so that the users of a revoked or expired token can be found and attempts to guess tokens are visible.
 * Each token has one entry an hour, because a program that nobody has reconfigured polls for months.
 */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { ApiToken, AuditEntry, Via } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import { addAudit } from '../toolkit/audit.ts';
import { createAuditBudget } from './audit-budget.ts';

/** Entries an hour for tokens that are in no row: trying another one costs nothing. */
const MAX_UNKNOWN = 200;
/** Entries an hour for tokens whose kid is known: an administrator has made each of them. */
const MAX_KNOWN = 1000;
const NOBODY = '(unknown)';

/** The API and the request that a token came with. */
export interface TokenOrigin {
  via: Via;
  requestId: string;
  /** The resource that is asked for, where it takes tokens that OAuth gave; left out: it takes none. */
  resource?: 'mcp';
}

export interface RefusedToken {
  hash: string;
  /** Left out for a token that is in no row. */
  token?: Pick<ApiToken, 'kid'> | undefined;
  username?: string | undefined;
}

interface RefusedTokensDeps {
  store: Pick<Store, 'tx' | 'health'>;
  clock: Pick<Clock, 'now'>;
}

export type NoteRefusedToken = (refused: RefusedToken, origin: TokenOrigin) => Promise<void>;

/** Never rejects: a store that can keep nothing more reports that by its health, and the caller hears that he is refused. */
export function createRefusedTokens({ store, clock }: RefusedTokensDeps): NoteRefusedToken {
  const mayKeepUnknown = createAuditBudget(clock, MAX_UNKNOWN);
  const mayKeepKnown = createAuditBudget(clock, MAX_KNOWN);
  return async ({ hash, token, username = NOBODY }, { via, requestId }) => {
    if (!store.health().ok) return;
    if (token === undefined ? !mayKeepUnknown(hash) : !mayKeepKnown(token.kid)) return;
    const entry: Omit<AuditEntry, 'id'> = {
      at: toIso(clock.now()),
      user: username,
      token_kid: token?.kid ?? null,
      via,
      operation: 'authenticate',
      resource: 'Security',
      resource_id: null,
      outcome: 'unauthenticated',
      request_id: requestId,
      changed: [],
    };
    // The caller is refused all the same, and a store that cannot take the entry reports its own failure.
    await store.tx((tx) => addAudit(tx, entry)).catch(() => undefined);
  };
}
