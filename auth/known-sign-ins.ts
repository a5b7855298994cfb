/**
 * Who has signed in from where within the last 30 days: such a person does not wait because of strangers at the same address. A hash of
 * both is kept, no address and no name; it survives a restart, since a robot does not stop for one.
 */
import { createHash } from 'node:crypto';
import { toIso } from '../domain/clock.ts';
import type { Store, Tx } from '../domain/store.ts';

const KNOWN_MS = 30 * 24 * 3_600_000;
/** Expired ones that go with one sign-in; more than one comes with it. */
const SWEEP_LIMIT = 20;

/** `pair` is a name at the network of a client. */
export async function isKnown(store: Pick<Store, 'find'>, pair: string, nowMs: number): Promise<boolean> {
  const [row] = (await store.find('knownSignIns', { where: { pair_hash: hashOf(pair) }, limit: 1 })).rows;
  return row !== undefined && Date.parse(row.last_at) + KNOWN_MS > nowMs;
}

/** In the commit of the sign-in. */
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
