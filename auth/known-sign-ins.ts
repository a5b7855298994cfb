/**
 * Remembers for 30 days who has signed in from where, so that such a person does not wait because of strangers at the same address. It
 * stores a hash of both, no address and no name, and survives a restart, because a robot does not stop for one.
 */
import { createHash } from 'node:crypto';
import { toIso } from '../domain/time/clock.ts';
import type { Store, Tx } from '../domain/ports/store.ts';

const KNOWN_MS = 30 * 24 * 3_600_000;
/** Expired rows that one sign-in removes; a sign-in adds one, so their number shrinks. */
const SWEEP_LIMIT = 20;

/** `pair` is a user name at the network of a client. */
export async function isKnown(store: Pick<Store, 'find'>, pair: string, nowMs: number): Promise<boolean> {
  const [row] = (await store.find('knownSignIns', { where: { pair_hash: hashOf(pair) }, limit: 1 })).rows;
  return row !== undefined && Date.parse(row.last_at) + KNOWN_MS > nowMs;
}

/** Runs in the commit of the sign-in. */
export function noteSignIn(tx: Tx, pair: string, nowMs: number): void {
  const pair_hash = hashOf(pair);
  const last_at = toIso(nowMs);
  const [present] = tx.find('knownSignIns', { where: { pair_hash }, limit: 1 }).rows;
  if (present === undefined) tx.insert('knownSignIns', { pair_hash, last_at });
  else tx.put('knownSignIns', { ...present, last_at });
  const expired = { where: { last_at: { lt: toIso(nowMs - KNOWN_MS) } }, limit: SWEEP_LIMIT };
  for (const { id } of tx.find('knownSignIns', expired).rows) tx.delete('knownSignIns', id);
}

function hashOf(pair: string): string {
  return createHash('sha256').update(`onair/sign-in/v1 ${pair}`).digest('base64url');
}
