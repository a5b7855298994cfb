/** The entries of the audit about sign-ins, refused ones too. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { AuditEntry } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import { addAudit } from '../toolkit/audit.ts';
import { createAuditBudget } from './audit-budget.ts';

/** Refused sign-ins that the audit keeps in an hour. */
const MAX_AUDITED_FAILURES = 200;
/** Stands for a name that no user has: people type their password there by mistake, and the audit is read and sent to others. */
const NOBODY = '(unknown)';

export function auditEntry(
  operation: string,
  outcome: string,
  username: string,
  request_id: string,
  at: string,
): Omit<AuditEntry, 'id'> {
  const what = { operation, resource: 'Security', resource_id: null, changed: [] };
  return { at, user: username, token_kid: null, via: 'ui', ...what, outcome, request_id };
}

/** Writes refused sign-ins and changes of a password into the audit, as many as it bears. */
export function refusalNotes({ store, clock }: { store: Pick<Store, 'tx'>; clock: Pick<Clock, 'now'> }) {
  const mayAudit = createAuditBudget(clock, MAX_AUDITED_FAILURES);
  return async (
    outcome: string,
    username: string | undefined,
    requestId: string,
    operation = 'login',
  ): Promise<void> => {
    if (!mayAudit()) return;
    const entry = auditEntry(operation, outcome, username ?? NOBODY, requestId, toIso(clock.now()));
    await store.tx((tx) => addAudit(tx, entry));
  };
}
