/** Idempotency keys: a retry of a call that went through answers what was answered then, across restarts. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { AppError, invalidInput } from '../domain/errors.ts';
import type { Caller, IdempotencyEntry } from '../domain/security.ts';
import type { Store, Tx } from '../domain/store.ts';
import type { Answer, Tool } from './tool.ts';

const KEPT_MS = 24 * 3_600_000;
/** Entries removed by one later write; keeps the collection bounded without a job of its own. */
const SWEEP_LIMIT = 4;

/** One keyed call, between its arrival and its stored answer. */
export interface KeyedCall {
  readonly key: string;
  readonly argsHash: string;
  readonly sealKey: Buffer | undefined;
}

export function keyedCall(tool: Tool, caller: Caller, rawKey: string, args: unknown): KeyedCall {
  if (rawKey.length < 1 || rawKey.length > 255) {
    throw invalidInput([
      { field: 'Idempotency-Key', code: 'too_long', message: 'must be 1 to 255 characters', min: 1, max: 255 },
    ]);
  }
  return {
    key: `${caller.userId}:${tool.name}:${sha256(rawKey)}`,
    argsHash: sha256(JSON.stringify(sortKeys(args))),
    sealKey: tool.secretAnswer ? createHmac('sha256', caller.sealKey).update(rawKey).digest() : undefined,
  };
}

/** The stored answer of the same call, undefined for a new key; throws idempotency_mismatch for other arguments. */
export async function findReplay(
  store: Pick<Store, 'find'>,
  call: KeyedCall,
  nowIso: string,
): Promise<Answer<unknown> | undefined> {
  const { rows } = await store.find('idempotency', { where: { key: call.key }, limit: 1 });
  const [entry] = rows;
  if (entry === undefined || entry.expires_at <= nowIso) return undefined;
  if (entry.args_hash !== call.argsHash) {
    throw new AppError(
      'idempotency_mismatch',
      'This Idempotency-Key was used with other arguments. Send a new key for a new call.',
    );
  }
  const body: unknown = JSON.parse(entry.sealed ? unseal(entry.answer, call) : entry.answer);
  return { body, status: entry.status };
}

/** Inside the call's commit: stores its answer and lets a few expired entries go. */
export function recordAnswer(tx: Tx, call: KeyedCall, answer: Answer<unknown>, status: number, nowMs: number): void {
  const json = JSON.stringify(answer.body);
  const { rows } = tx.find('idempotency', { where: { key: call.key }, limit: 1 });
  const entry: Omit<IdempotencyEntry, 'id'> = {
    key: call.key,
    args_hash: call.argsHash,
    status,
    answer: call.sealKey === undefined ? json : seal(json, call.sealKey),
    sealed: call.sealKey !== undefined,
    expires_at: new Date(nowMs + KEPT_MS).toISOString(),
  };
  const [present] = rows;
  if (present === undefined) tx.insert('idempotency', entry);
  else tx.put('idempotency', { ...entry, id: present.id });
  const expired = tx.find('idempotency', {
    where: { expires_at: { lt: new Date(nowMs).toISOString() } },
    limit: SWEEP_LIMIT,
  });
  for (const old of expired.rows) if (old.id !== present?.id) tx.delete('idempotency', old.id);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Property order is not part of a call's meaning. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

/** AES-256-GCM under a key that only the caller's credential and key can make again: iv 12, tag 16, then the text. */
function seal(json: string, key: Buffer): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(json, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

function unseal(sealed: string, call: KeyedCall): string {
  const bytes = Buffer.from(sealed, 'base64');
  if (call.sealKey !== undefined) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', call.sealKey, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new AppError(
        'conflict',
        'This call was made with another credential, which alone can show its secret again. Use a new Idempotency-Key.',
        { cause },
      );
    }
  }
  throw new AppError('conflict', 'The stored answer of this Idempotency-Key cannot be shown again. Use a new key.');
}
