/** Decides which calls are refused while the disk is nearly full. */
import { AppError } from '../domain/base/errors.ts';
import type { Shortage, StoreHealth } from '../domain/ports/store.ts';
import type { Tool } from './tool.ts';

/** The store checks each second whether there is space. */
const RETRY_SECONDS = 5;

/**
 * The effects of calls that are refused, by how much space is left (Shortage in domain/ports/store.ts). A stop, a change on air and a deletion
 * are taken at every level: they end what fills the disk, or cannot wait for it.
 */
const REFUSED_EFFECTS: Record<Shortage['level'], readonly Tool['effect'][]> = {
  low: ['create'],
  very_low: ['create', 'update'],
  none: ['create', 'update'],
};

/** Throws AppError unavailable when a call like this has to wait until the disk has room. */
export function assertRoom({ name, effect }: Pick<Tool, 'name' | 'effect'>, { shortage }: StoreHealth): void {
  if (shortage === undefined || !REFUSED_EFFECTS[shortage.level].includes(effect)) return;
  const detail =
    `${name} has to wait: ${shortage.message}, and what is left is for stops, changes on air, deletions and sign-ins. Delete Assets or ` +
    'Recordings that are not needed, or make room on the server; within seconds it is taken again.';
  throw new AppError('unavailable', detail, { retryAfterSeconds: RETRY_SECONDS, facts: { reason: 'disk' } });
}
