/** The transcription provider, by the HTTP contract of docs/transcription.md. */
import { AppError, notFound } from '../domain/errors.ts';
import type { Transcription } from '../domain/integrations.ts';
import {
  transcriptionAccount,
  transcriptionAssetStatus,
  transcriptionItems,
  type TranscriptionAccess,
} from '../domain/transcription.ts';
import { exchange, jsonOf, refusedBy, type ExchangeOptions } from './exchange.ts';

/** What the provider answers here it looks up; transcribing itself happens between calls. */
const TIMEOUT_MS = 10_000;
/** A thousand items of the longest names are below this. */
const MAX_BYTES = 1_048_576;

/** Any schema of domain/transcription.ts; zod itself is not needed here. */
interface Shape<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: { path: PropertyKey[] }[] } };
}

/** `timeoutMs` is for tests of the bound itself. */
export function createTranscription(timeoutMs = TIMEOUT_MS): Transcription {
  async function ask<T>(
    access: TranscriptionAccess,
    path: string,
    shape: Shape<T>,
    signal: AbortSignal,
    missing?: AppError,
  ): Promise<T> {
    const options: ExchangeOptions = {
      service: 'transcription provider',
      url: new URL(`${access.tenant_url.replace(/\/+$/u, '')}/v1/${path}`),
      method: 'GET',
      headers: { authorization: `Bearer ${access.api_key}`, accept: 'application/json' },
      secrets: [access.api_key],
      timeoutMs,
      maxBytes: MAX_BYTES,
      signal,
    };
    const { status, text } = await exchange(options);
    if (status === 404 && missing !== undefined) throw missing;
    if (status !== 200) throw refusedBy(options, refusalOf(options.url.host, status), text);
    const parsed = shape.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    const fields = [...new Set(parsed.error.issues.map(({ path: at }) => at.join('.') || 'the whole'))].slice(0, 5);
    throw refusedBy(
      options,
      `The transcription provider at ${options.url.host} answered outside of its contract: ${fields.join(', ')}.`,
      text,
    );
  }

  return {
    account: (access, signal) => ask(access, 'account', transcriptionAccount.strip(), signal),
    collections: async (access, signal) => (await ask(access, 'collections', transcriptionItems, signal)).items,
    templates: async (access, signal) => (await ask(access, 'templates', transcriptionItems, signal)).items,
    async assetStatus(access, assetId, signal) {
      const missing = notFound('asset at the transcription provider', assetId);
      const path = `assets/${encodeURIComponent(assetId)}`;
      const status = await ask(access, path, transcriptionAssetStatus.strip(), signal, missing);
      if (status.asset_id === assetId) return status;
      throw new AppError('upstream_failed', 'The transcription provider answered about another asset.');
    },
  };
}

function refusalOf(host: string, status: number): string {
  const who = `The transcription provider at ${host}`;
  if (status === 401 || status === 403)
    return `${who} refuses the API key (HTTP ${status}); set another with updateTranscriptionConfig.`;
  if (status === 404)
    return `${who} has no tenant at this URL (HTTP 404); correct tenant_url with updateTranscriptionConfig.`;
  if (status === 429) return `${who} has had too many calls (HTTP 429); try again later.`;
  return `${who} failed (HTTP ${status}).`;
}
