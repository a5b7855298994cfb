/** `onair user password` works on the server's own machine while the server is stopped, for people who can no longer sign in. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { toIso, systemClock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { changeUser, withPassword } from '../../domain/rules/installation/user.ts';
import { userCreate } from '../../domain/shapes/installation/user.ts';
import { isHeld } from '../../store/files/lock.ts';
import type { Config } from '../settings/config.ts';
import { isShared, openSharedStore, shownStore } from './store-place.ts';
import { ALL_KEPT } from './history-kept.ts';
import { openStore } from '../../store/open.ts';
import { addAudit } from '../../toolkit/audit.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { hashPassword } from '../../toolkit/passwords.ts';
import { z } from 'zod/v3';

const input = z.object({ password: userCreate.password }).strict();

type Place = Pick<Config, 'data' | 'store'>;

/** Whether the data folder has a store that no process holds. A store in a database is open to whoever may use that. */
export async function isIdle(place: Place): Promise<boolean> {
  if (isShared(place)) return true;
  const dir = join(place.data, 'store');
  return existsSync(dir) && !(await isHeld(dir));
}

/** The file permissions of the data folder, or the rights in the database, decide who may do it; the change is audited. Throws AppError not_found, invalid_input, unavailable. */
export async function setStoredPassword(place: Place, username: string, password: string): Promise<void> {
  parseInput(input, { password });
  const store = isShared(place)
    ? await openSharedStore(place)
    : await openStore({ dir: join(place.data, 'store'), clock: systemClock, kind: 'lowdb', keptMs: ALL_KEPT });
  try {
    const password_hash = await hashPassword(password);
    await store.tx((tx) => {
      const [present] = tx.find('users', { where: { username } }).rows;
      if (present === undefined)
        throw new AppError(
          'not_found',
          `There is no user ${username} in ${isShared(place) ? shownStore(place) : place.data}.`,
        );
      const at = toIso(systemClock.now());
      changeUser(tx, present, withPassword({}, password_hash, present), at);
      const who = { user: username, token_kid: null, via: 'cli' } as const;
      const what = { operation: 'updateUser', resource: 'Users', resource_id: present.id, changed: ['password'] };
      addAudit(tx, { at, ...who, ...what, outcome: 'ok', request_id: randomUUID() });
    });
  } finally {
    await store.close();
  }
}
