import { ruleViolated } from '../../base/errors.ts';
import type { Tx, View } from '../../ports/store.ts';
import type { ApiToken } from '../../shapes/installation/security.ts';
import { assertRules, referenceIssues } from '../rows/references.ts';

/** Throws AppError rule_violated for a user who does not exist, or whose tokens would be refused at once. */
export function assertTokenOwner(view: View, userId: number): void {
  const user = view.get('users', userId);
  assertRules(referenceIssues(view, 'users', 'User', 'userId', userId));
  if (user === undefined || user.active) return;
  const message = `user ${userId} (${user.username}) is not active; its token would be refused`;
  throw ruleViolated(`userId: ${message}. Name an active user.`, [{ field: 'userId', code: 'inactive', message }]);
}

/** Revokes the token, where `mayEnd` allows it; the row stays: a kid never comes back, and the audit log goes on naming it. */
export function revokeToken(
  tx: Tx,
  now: string,
  kid: string,
  mayEnd: (token: Readonly<ApiToken>) => boolean = () => true,
): Readonly<ApiToken> | undefined {
  const [token] = tx.find('tokens', { where: { kid, revoked_at: null }, limit: 1 }).rows;
  if (token === undefined || !mayEnd(token)) return undefined;
  tx.put('tokens', { ...token, revoked_at: now, updated_at: now });
  return token;
}
