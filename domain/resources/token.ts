import { notFound, ruleViolated } from '../errors.ts';
import type { View } from '../store.ts';

/** Throws AppError not_found, or rule_violated for a user whose tokens would be refused at once. */
export function assertTokenOwner(view: View, userId: number): void {
  const user = view.get('users', userId);
  if (user === undefined) throw notFound('User', userId);
  if (user.active) return;
  const message = `user ${userId} (${user.username}) is not active; its token would be refused`;
  throw ruleViolated(`userId: ${message}. Name an active user.`, [{ field: 'userId', code: 'inactive', message }]);
}
