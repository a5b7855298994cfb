/** Hands media to the transcription provider: first its facts, then its bytes, which are sent again when the connection breaks. */
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { retryDelayMs } from '../domain/time/back-off.ts';
import { AppError, ruleViolated } from '../domain/base/errors.ts';
import type { Transcription } from '../domain/shapes/installation/integrations.ts';
import { pause } from '../domain/time/pause.ts';
import { transcriptionHandedOff, type TranscriptionAccess } from '../domain/shapes/media/transcription.ts';
import { exchange, refusedBy, type Exchanged, type ExchangeOptions } from './exchange.ts';
import { digestOf } from './folders/transfer.ts';
import { parseAnswer, askOptions, refusalOf } from './transcription-call.ts';

const RETRY = { max_attempts: 4, initial_delay_ms: 1000, max_delay_ms: 15_000 };
/** 2 Mbit/s is slower than any connection that media is made on; the answer gets another minute. */
const SLOWEST_BYTES_PER_MS = 250;
const ANSWER_MS = 60_000;

type Media = Parameters<Transcription['handOff']>[1];

export async function handOff(
  access: TranscriptionAccess,
  { path, ...facts }: Media,
  signal: AbortSignal,
): Promise<{ asset_id: string; size_bytes: number; sha256: string }> {
  const digest = await digestOf(path, signal);
  // The key makes repeated requests create one asset.
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const announcement = post(askOptions(access, 'assets', signal), headers, JSON.stringify({ ...facts, ...digest }));
  // Nothing has begun yet, so a provider that is away is reported at once.
  const reply = await persist(signal, () => exchange(announcement), { overBreaks: false });
  if (reply.status !== 201) throw refusal(announcement, reply);
  const { asset_id } = parseAnswer(announcement, transcriptionHandedOff, reply.text);
  try {
    await sendContent(access, asset_id, { path, ...facts, ...digest }, signal);
  } catch (error) {
    await forget(access, asset_id);
    throw error;
  }
  return { asset_id, ...digest };
}

function post(options: ExchangeOptions, headers: Record<string, string>, body: string): ExchangeOptions {
  return { ...options, method: 'POST', headers: { ...options.headers, ...headers }, body };
}

interface SentMedia {
  path: string;
  content_type: string;
  size_bytes: number;
  sha256: string;
}

async function sendContent(
  access: TranscriptionAccess,
  assetId: string,
  { path, content_type, size_bytes, sha256 }: SentMedia,
  signal: AbortSignal,
): Promise<void> {
  const options = askOptions(access, `assets/${encodeURIComponent(assetId)}/content`, signal);
  const upload: ExchangeOptions = {
    ...options,
    method: 'PUT',
    headers: {
      ...options.headers,
      'content-type': content_type,
      // The form of the field is that of RFC 9530 §2.
      'content-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    },
    timeoutMs: ANSWER_MS + Math.ceil(size_bytes / SLOWEST_BYTES_PER_MS),
    body: await openAsBlob(path),
  };
  const reply = await persist(signal, () => exchange(upload), { overBreaks: true });
  if (reply.status !== 200 && reply.status !== 204) throw refusal(upload, reply);
}

/** Repeats a request while the provider is busy or failing, and with `overBreaks` also when the connection broke. Refusals are answers. */
async function persist(
  signal: AbortSignal,
  ask: () => Promise<Exchanged>,
  { overBreaks }: { overBreaks: boolean },
): Promise<Exchanged> {
  for (let attempt = 1; ; attempt += 1) {
    const delayMs = retryDelayMs(RETRY, attempt, Math.random());
    try {
      const answer = await ask();
      if (delayMs === undefined || (answer.status < 500 && answer.status !== 429)) return answer;
    } catch (error) {
      if (!overBreaks || !(error instanceof AppError) || signal.aborted || delayMs === undefined) throw error;
    }
    if (!(await pause(delayMs, signal))) throw new AppError('timeout', 'The hand-off was given up.');
  }
}

function refusal(options: ExchangeOptions, { status, text }: Exchanged): AppError {
  const { upstream } = refusedBy(options, '', text).extras;
  const extras = upstream === undefined ? {} : { upstream };
  if (status === 400 || status === 413 || status === 415 || status === 422) {
    const rule = ruleViolated(`The transcription provider does not take this media (HTTP ${status}).`);
    return new AppError(rule.code, rule.message, extras);
  }
  return new AppError('upstream_failed', refusalOf(options.url.host, status), extras);
}

/** Removes an asset that never gets its content. */
async function forget(access: TranscriptionAccess, assetId: string): Promise<void> {
  const { signal } = new AbortController();
  const options = askOptions(access, `assets/${encodeURIComponent(assetId)}`, signal);
  // The error of the upload is the one to report; what stays at the provider is an asset without content.
  await exchange({ ...options, method: 'DELETE' }).catch(() => undefined);
}
