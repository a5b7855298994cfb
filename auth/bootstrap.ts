/** Creates the first user of an empty store; without one nobody could issue the first token. */
import { randomBytes } from 'node:crypto';
import { toIso, type Clock } from '../domain/time/clock.ts';
import { invalidInput } from '../domain/base/errors.ts';
import { hashToken, ROLE } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import { hashPassword } from '../toolkit/passwords.ts';

export interface FirstCredentials {
  token: string;
  /** null when there is none. */
  password: string | null;
}

interface BootstrapDeps {
  store: Pick<Store, 'find' | 'tx'>;
  clock: Pick<Clock, 'now'>;
  /** ONAIR_BOOTSTRAP_TOKEN; a random one when left out. */
  token?: string | undefined;
  /** ONAIR_BOOTSTRAP_PASSWORD; a random one when left out, none when null, where nobody would see it. */
  password?: string | null | undefined;
  /** Puts the token where its owner finds it. */
  keep?: ((token: string) => void) | undefined;
}

/**
 * Creates the user `admin` and its API token in one commit and answers both secrets, which nothing shows again; undefined when the store
 * has users. `keep` gets the token before the store does: a process that dies in between leaves a token that never worked and an empty
 * store, which the next start fills; in the other order nobody could ever sign in. Rejects with AppError invalid_input when a secret is too
 * weak to replace a random one.
 */
export async function bootstrap(deps: BootstrapDeps): Promise<FirstCredentials | undefined> {
  const { store, clock } = deps;
  if ((await store.find('users', { limit: 1 })).total > 0) return undefined;
  const kid = randomBytes(6).toString('hex');
  const token = deps.token ?? `onair_${kid}_${randomBytes(32).toString('base64url')}`;
  const password = deps.password === undefined ? randomBytes(18).toString('base64url') : deps.password;
  assertStrong(token, password);
  const password_hash = password === null ? '' : await hashPassword(password);
  deps.keep?.(token);
  const created = await store.tx((tx) => {
    // The check is repeated inside the commit, because two control planes may start on one empty shared store.
    if (tx.find('users', { limit: 1 }).total > 0) return false;
    const now = toIso(clock.now());
    const stamps = { created_at: now, updated_at: now };
    const user = tx.insert('users', {
      ...stamps,
      username: 'admin',
      first_name: 'System',
      last_name: 'Administrator',
      // This is a valid address that can never belong to anybody (RFC 2606 §2).
      email: 'admin@onair.invalid',
      password_hash,
      user_role: ROLE.admin,
      active: true,
      profile: { api: true, language: 'en', password_version: password === null ? 0 : 1 },
    });
    const token_hash = hashToken(token);
    tx.insert('tokens', {
      ...stamps,
      kid,
      name: 'bootstrap',
      userId: user.id,
      token_hash,
      expires_at: null,
      revoked_at: null,
    });
    return true;
  });
  return created ? { token, password } : undefined;
}

function assertStrong(token: string, password: string | null): void {
  if (!/^[\x21-\x7e]{24,512}$/u.test(token)) {
    const message =
      'must be 24 to 512 printable ASCII characters without spaces, for instance the output of: openssl rand -hex 32';
    throw invalidInput([{ field: 'token', code: 'invalid_format', message, min: 24, max: 512 }]);
  }
  if (password !== null && password.length < 12) {
    throw invalidInput([{ field: 'password', code: 'too_short', message: 'must be at least 12 characters', min: 12 }]);
  }
}
