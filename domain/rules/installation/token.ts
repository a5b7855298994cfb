import { ruleViolated } from '../../base/errors.ts';
import type { View } from '../../ports/store.ts';
import { assertRules, referenceIssues } from '../rows/references.ts';

/** Throws AppError rule_violated for a user who does not exist, or whose tokens would be refused at once. */
export function assertTokenOwner(view: View, userId: number): void {
  const user = view.get('users', userId);
  assertRules(referenceIssues(view, 'users', 'User', 'userId', userId));
  if (user === undefined || user.active) return;
  const message = `user ${userId} (${user.username}) is not active; its token would be refused`;
  throw ruleViolated(`userId: ${message}. Name an active user.`, [{ field: 'userId', code: 'inactive', message }]);
}
