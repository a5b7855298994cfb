/** One call to the transcription provider, by docs/transcription.md. */
import type { AppError } from '../domain/base/errors.ts';
import { jsonOf } from '../domain/base/json.ts';
import type { TranscriptionAccess } from '../domain/shapes/media/transcription.ts';
import { refusedBy, type ExchangeOptions } from './exchange.ts';

/** The provider only looks things up for these calls; transcribing itself happens between them. */
export const TIMEOUT_MS = 10_000;
/** A thousand items with the longest names are below this. */
const MAX_BYTES = 1_048_576;

/** Any schema of domain/shapes/media/transcription.ts fits it, so zod itself is not needed here. */
export interface Shape<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: { path: PropertyKey[] }[] } };
}

export function askOptions(access: TranscriptionAccess, path: string, signal: AbortSignal): ExchangeOptions {
  return {
    service: 'transcription provider',
    url: new URL(`${access.tenant_url.replace(/\/+$/u, '')}/v1/${path}`),
    method: 'GET',
    headers: { authorization: `Bearer ${access.api_key}`, accept: 'application/json' },
    secrets: [access.api_key],
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  };
}

/** Throws AppError upstream_failed for an answer outside of the documented form. */
export function parseAnswer<T>(options: ExchangeOptions, shape: Shape<T>, text: string): T {
  const parsed = shape.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const fields = [...new Set(parsed.error.issues.map(({ path: at }) => at.join('.') || 'the whole'))].slice(0, 5);
  throw outsideContract(options, fields, text);
}

function outsideContract(options: ExchangeOptions, fields: readonly string[], text: string): AppError {
  const who = `The transcription provider at ${options.url.host}`;
  return refusedBy(options, `${who} answered outside of its contract: ${fields.join(', ')}.`, text);
}

export function refusalOf(host: string, status: number): string {
  const who = `The transcription provider at ${host}`;
  if (status === 401 || status === 403)
    return `${who} refuses the API key (HTTP ${status}); set another with updateTranscriptionConfig.`;
  if (status === 404)
    return `${who} has no tenant at this URL (HTTP 404); correct tenant_url with updateTranscriptionConfig.`;
  if (status === 429) return `${who} has had too many calls (HTTP 429); try again later.`;
  return `${who} failed (HTTP ${status}).`;
}
