/** The programs that may ask people for access: those that have registered themselves, and those that a document describes. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import type { OAuthClientRow } from '../../domain/shapes/installation/oauth.ts';
import { isDocumentId, type ClientDocuments } from './client-document.ts';
import { readMetadata, type OAuthClient } from './client-metadata.ts';
import { refusal } from './refusals.ts';
import { randomSecret } from './secrets.ts';

const DAY_MS = 86_400_000;
/** A program registers itself when a person connects it, minutes before the consent. */
const UNUSED_MS = 7 * DAY_MS;
/** Hosted assistants keep the id that they got. */
const USED_MS = 400 * DAY_MS;
/** Anybody may register: then the registrations that nobody has connected make room. */
const MAX_CLIENTS = 1000;
const SWEEP_LIMIT = 20;
/** Registrations of one network in an hour. */
const MAX_REGISTRATIONS = 30;
const HOUR_MS = 3_600_000;
const MAX_NETWORKS = 10_000;

export interface OAuthClients {
  /** Rejects with AppError invalid_client for one that is not known or not readable. */
  get(id: string): Promise<OAuthClient>;
  /** `network` is that of the sender. Rejects with AppError that has the word of RFC 7591. */
  register(sent: unknown, network: string): Promise<OAuthClientRow>;
}

interface OAuthClientsDeps {
  store: Pick<Store, 'find' | 'tx'>;
  clock: Pick<Clock, 'now'>;
  documents: ClientDocuments;
}

export function createClients({ store, clock, documents }: OAuthClientsDeps): OAuthClients {
  const assertSeldom = createRegistrationLimit(clock);
  return {
    async get(id) {
      if (isDocumentId(id)) return documents.read(id);
      const [row] = (await store.find('oauthClients', { where: { client_id: id }, limit: 1 })).rows;
      if (row === undefined) throw unknown(id);
      return { id, name: row.client_name, redirectUris: row.redirect_uris };
    },
    async register(sent, network) {
      const { name: client_name, redirectUris } = readMetadata(sent);
      assertSeldom(network);
      const client_id = `onair_client_${randomSecret()}`;
      const nowMs = clock.now();
      const times = { created_at: toIso(nowMs), keep_until: toIso(nowMs + UNUSED_MS) };
      return store.tx((tx) => {
        makeRoom(tx, nowMs);
        return tx.insert('oauthClients', { ...times, client_id, client_name, redirect_uris: [...redirectUris] });
      });
    },
  };
}

/** Called when a person connects the program. */
export function keepClient(tx: Tx, id: string, nowMs: number): void {
  const [row] = tx.find('oauthClients', { where: { client_id: id }, limit: 1 }).rows;
  if (row !== undefined) tx.put('oauthClients', { ...row, keep_until: toIso(nowMs + USED_MS) });
}

function makeRoom(tx: Tx, nowMs: number): void {
  const past = tx.find('oauthClients', { where: { keep_until: { lt: toIso(nowMs) } }, limit: SWEEP_LIMIT });
  for (const { id } of past.rows) tx.delete('oauthClients', id);
  const sort = { field: 'keep_until', descending: false };
  const { rows, total } = tx.find('oauthClients', { sort, limit: 1 });
  const [next] = rows;
  if (total < MAX_CLIENTS || next === undefined) return;
  if (Date.parse(next.keep_until) > nowMs + UNUSED_MS)
    throw refusal('temporarily_unavailable', `${MAX_CLIENTS} programs are registered and connected here.`);
  tx.delete('oauthClients', next.id);
}

function createRegistrationLimit(clock: Pick<Clock, 'now'>): (network: string) => void {
  const counts = new Map<string, number>();
  let sinceMs = clock.now();
  return (network) => {
    if (Math.abs(clock.now() - sinceMs) >= HOUR_MS || counts.size >= MAX_NETWORKS) {
      counts.clear();
      sinceMs = clock.now();
    }
    const count = (counts.get(network) ?? 0) + 1;
    counts.set(network, count);
    if (count > MAX_REGISTRATIONS)
      throw refusal(
        'temporarily_unavailable',
        `${MAX_REGISTRATIONS} programs have registered from there within an hour.`,
      );
  };
}

function unknown(id: string): Error {
  return refusal(
    'invalid_client',
    `No program is registered as ${JSON.stringify(id.slice(0, 200))}. Remove the connection in the assistant and connect it again.`,
  );
}
