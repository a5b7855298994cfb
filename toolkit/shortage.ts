/** Which calls a disk that is nearly full refuses. */
import { AppError } from '../domain/errors.ts';
import type { Shortage, StoreHealth } from '../domain/store.ts';
import type { Tool } from './tool.ts';

/** The store looks each second whether there is room. */
const RETRY_SECONDS = 5;

/** Calls that can wait while the disk is nearly full, by how little there is. A stop, a change on air and a deletion cannot. */
const WAITING: Record<Shortage['level'], readonly Tool['effect'][]> = {
  low: ['create'],
  least: ['create', 'update'],
  none: ['create', 'update'],
};

/** Throws AppError unavailable when a call like this has to wait until the disk has room. */
export function assertRoom({ name, effect }: Pick<Tool, 'name' | 'effect'>, { shortage }: StoreHealth): void {
  if (shortage === undefined || !WAITING[shortage.level].includes(effect)) return;
  const detail =
    `${name} has to wait: ${shortage.message}, and what is left is for stops, changes on air, deletions and sign-ins. Delete Assets or ` +
    'Recordings that are not needed, or make room on the server; within seconds it is taken again.';
  throw new AppError('unavailable', detail, { retryAfterSeconds: RETRY_SECONDS, facts: { reason: 'disk' } });
}
