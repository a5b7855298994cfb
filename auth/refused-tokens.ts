/**
 * Tokens that are refused, in the audit: who goes on using one that was revoked or has expired is to be found, and that somebody tries
 * tokens is to be known. One entry an hour for each token, since a program that nobody has told polls for months.
 */
import { toIso, type Clock } from '../domain/clock.ts';
import type { ApiToken, AuditEntry, Via } from '../domain/security.ts';
import type { Store } from '../domain/store.ts';
import { addAudit } from '../toolkit/audit.ts';
import { createAuditBudget } from './audit-budget.ts';

/** Of tokens that are nobody's, an hour: to try another costs nothing. */
const MAX_UNKNOWN = 200;
/** Of tokens that are known by their kid, an hour: an administrator has made each of them. */
const MAX_KNOWN = 1000;
const NOBODY = '(unknown)';

/** How a token came in. */
export interface Visit {
  via: Via;
  requestId: string;
}

export interface RefusedToken {
  hash: string;
  /** Left out: it is nobody's. */
  token?: Pick<ApiToken, 'kid'> | undefined;
  username?: string | undefined;
}

interface RefusedTokensParts {
  store: Pick<Store, 'tx' | 'health'>;
  clock: Pick<Clock, 'now'>;
}

export type NoteRefusedToken = (refused: RefusedToken, visit: Visit) => Promise<void>;

/** Never rejects: a store that keeps nothing more says so by its health, and who is refused is told that. */
export function createRefusedTokens({ store, clock }: RefusedTokensParts): NoteRefusedToken {
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
    await store.tx((tx) => addAudit(tx, entry)).catch(() => undefined);
  };
}
