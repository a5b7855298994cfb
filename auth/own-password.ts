/** A person gives themselves another password, and shows with the present one that it is they who sit there. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import { AppError, invalidInput } from '../domain/base/errors.ts';
import { changeUser, withPassword } from '../domain/rules/installation/user.ts';
import type { Caller } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import type { User } from '../domain/shapes/installation/user.ts';
import { addAudit } from '../toolkit/audit.ts';
import { hashPassword, verifyPassword } from '../toolkit/passwords.ts';
import type { Attempt } from './sign-in-throttle.ts';

export interface PasswordChange {
  /** The present one. */
  password: string;
  new_password: string;
  /** Network of the client. */
  address: string;
  requestId: string;
}

interface OwnPasswordDeps {
  store: Pick<Store, 'tx'>;
  clock: Pick<Clock, 'now'>;
  /** Counts a guess: somebody may sit at a page that was left open. Throws AppError rate_limited. */
  count(username: string, address: string): Promise<Attempt>;
  noteRefusal(outcome: string, username: string, requestId: string, operation: string): Promise<void>;
}

/** Ends the other sessions of the user. Rejects with AppError invalid_input, conflict, rate_limited. */
export async function changeOwnPassword(
  deps: OwnPasswordDeps,
  { user, sessionId }: { user: Readonly<User>; sessionId: Caller['sessionId'] },
  { password, new_password, address, requestId }: PasswordChange,
): Promise<void> {
  if (user.password_hash === '')
    throw new AppError('conflict', 'You sign in without a password. An Administrator can give you one.');
  const counted = await deps.count(user.username, address);
  let isRight = false;
  try {
    isRight = await verifyPassword(password, user.password_hash);
  } catch (error) {
    // The server was busy or broken, which is no failure of the person.
    counted.forgive();
    throw error;
  }
  if (!isRight) {
    await deps.noteRefusal('invalid_input', user.username, requestId, 'changePassword');
    throw invalidInput([{ field: 'password', code: 'wrong', message: 'is not your present password' }]);
  }
  counted.forgive();
  const password_hash = await hashPassword(new_password);
  const now = toIso(deps.clock.now());
  await deps.store.tx((tx) => {
    const present = tx.get('users', user.id);
    if (present?.password_hash !== user.password_hash)
      throw new AppError('conflict', 'The password was changed meanwhile. Sign in with the new one.');
    changeUser(tx, present, withPassword({}, password_hash, present), now, sessionId);
    const what = { operation: 'changePassword', resource: 'User', resource_id: user.id, changed: ['password'] };
    const by = { user: user.username, token_kid: null, via: 'ui' as const };
    addAudit(tx, { at: now, ...by, ...what, outcome: 'ok', request_id: requestId });
  });
}
