/** Idempotency keys: a retry of a call that went through gets the first answer, across restarts too. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { AppError, invalidInput, type ErrorCode, type ErrorExtras } from '../domain/base/errors.ts';
import type { IdempotencyEntry } from '../domain/shapes/installation/security.ts';
import type { Store, Tx } from '../domain/ports/store.ts';
import type { Call } from './call.ts';
import type { Answer, Tool } from './tool.ts';

const KEPT_MS = 24 * 3_600_000;

/** One keyed call, between its arrival and its stored answer. */
export interface KeyedCall {
  readonly key: string;
  readonly argsHash: string;
  readonly sealKey: Buffer | undefined;
  /** Identifies this key with these arguments; 128 bits. */
  readonly changeId: string;
}

/** A header carries only these characters, so every api takes the same keys. */
const PRINTABLE = /^[\x20-\x7e]*$/u;

/** Throws AppError invalid_input for a key that is not 1 to 255 printable characters. */
export function keyedCall(tool: Tool, { caller, args, ifMatch, upload }: Call, rawKey: string): KeyedCall {
  assertKey(rawKey);
  const key = `${caller.userId}:${tool.name}:${sha256(rawKey)}`;
  // If-Match and the upload are as much a part of the call as its fields. The hash is keyed, because a field may be a password, and a
  // reader of the store could try passwords against a plain hash.
  const argsHash = keyedHash(rawKey, JSON.stringify([sortKeys(args), ifMatch?.trim(), upload?.digest]));
  return {
    key,
    argsHash,
    changeId: sha256(`${key} ${argsHash}`).slice(0, 22),
    sealKey: tool.secretAnswer ? createHmac('sha256', caller.sealKey).update(rawKey).digest() : undefined,
  };
}

function assertKey(rawKey: string): void {
  const field = 'Idempotency-Key';
  const limits = { min: 1, max: 255 };
  if (rawKey.length < limits.min || rawKey.length > limits.max) {
    const code = rawKey.length < limits.min ? 'too_short' : 'too_long';
    throw invalidInput([{ field, code, message: 'must be 1 to 255 characters', ...limits }]);
  }
  if (!PRINTABLE.test(rawKey))
    throw invalidInput([{ field, code: 'invalid_format', message: 'must be printable ASCII characters' }]);
}

/**
 * The stored answer of the same call, undefined for a new key. Throws the stored refusal, or idempotency_mismatch for other arguments,
 * or conflict where the answer is sealed for another credential.
 */
export async function findReplay(
  store: Pick<Store, 'find'>,
  call: KeyedCall,
  nowIso: string,
): Promise<Answer<unknown> | undefined> {
  const sort = { field: 'id', descending: true };
  // There is more than one entry for a key that was used again after its day, and for a workflow that answers after its commit.
  const [entry] = (await store.find('idempotency', { where: { key: call.key }, sort, limit: 1 })).rows;
  if (entry === undefined || entry.expires_at <= nowIso) return undefined;
  if (entry.args_hash !== call.argsHash) {
    throw new AppError(
      'idempotency_mismatch',
      'This Idempotency-Key was used with other arguments. Send a new key for a new call.',
    );
  }
  if (entry.status >= 400) {
    const { code, detail, extras } = JSON.parse(entry.answer) as Refusal;
    throw new AppError(code, detail, { ...extras, replayed: true });
  }
  const body: unknown = JSON.parse(entry.sealed ? unseal(entry.answer, call) : entry.answer);
  return { body, status: entry.status, ...(entry.version !== undefined && { version: entry.version }) };
}

/** A refusal as it is stored: what makes the problem, without the request id of that call. */
interface Refusal {
  code: ErrorCode;
  detail: string;
  extras: Omit<ErrorExtras, 'cause' | 'names'>;
}

/** Access and rate are checked for each retry, so these refusals are not stored. */
const CHECKED_AGAIN = [401, 403, 429];

/** Whether a handler's error is the final answer of its call. A server failure is not, and neither is a refusal that says when to retry. */
export function isFinalRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.extras.retryAfterSeconds !== undefined) return false;
  return error.status < 500 && !CHECKED_AGAIN.includes(error.status);
}

/** A refusal is not sealed as answers are: errors hold no secrets, and another credential may get the refusal. */
export function recordRefusal(tx: Tx, call: KeyedCall, error: AppError, nowMs: number): void {
  const { cause: _cause, names: _names, ...extras } = error.extras;
  const refusal: Refusal = { code: error.code, detail: error.message, extras };
  tx.claimKey(entryOf(call, { status: error.status, answer: JSON.stringify(refusal), sealed: false }, nowMs));
}

/** Stores the answer of the call, inside its commit, which KeyTaken refuses where another process has answered the same call. */
export function recordAnswer(tx: Tx, call: KeyedCall, answer: Answer<unknown>, status: number, nowMs: number): void {
  tx.claimKey(entryOf(call, outcomeOf(call, answer, status), nowMs));
}

/** Stores what the call answers after its commit, over what it answered in it. */
export function replaceAnswer(tx: Tx, call: KeyedCall, answer: Answer<unknown>, status: number, nowMs: number): void {
  tx.insert('idempotency', entryOf(call, outcomeOf(call, answer, status), nowMs));
}

type Outcome = Pick<IdempotencyEntry, 'status' | 'answer' | 'sealed' | 'version'>;

function outcomeOf({ sealKey }: KeyedCall, { body, version }: Answer<unknown>, status: number): Outcome {
  const json = JSON.stringify(body);
  const answer = sealKey === undefined ? json : seal(json, sealKey);
  return { status, answer, sealed: sealKey !== undefined, ...(version !== undefined && { version }) };
}

function entryOf(call: KeyedCall, outcome: Outcome, nowMs: number): Omit<IdempotencyEntry, 'id'> {
  const expires_at = new Date(nowMs + KEPT_MS).toISOString();
  return { key: call.key, args_hash: call.argsHash, ...outcome, expires_at };
}

function keyedHash(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
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

/** Seals with AES-256-GCM under a key that only the caller's credential and key can make again: iv 12 bytes, tag 16, then the text. */
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
