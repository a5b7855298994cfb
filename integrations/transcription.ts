/** The transcription provider, by the HTTP contract of docs/transcription.md. */
import { AppError, notFound } from '../domain/base/errors.ts';
import type { Transcription } from '../domain/shapes/installation/integrations.ts';
import {
  transcriptionAccount,
  transcriptionAssetStatus,
  transcriptionItems,
  type TranscriptionAccess,
} from '../domain/shapes/media/transcription.ts';
import { exchange, refusedBy } from './exchange.ts';
import { parseAnswer, askOptions, refusalOf, type Shape, TIMEOUT_MS } from './transcription-call.ts';
import { handOff } from './transcription-hand-off.ts';

/** `timeoutMs` is for tests of the bound itself. */
export function createTranscription(timeoutMs = TIMEOUT_MS): Transcription {
  async function ask<T>(
    access: TranscriptionAccess,
    path: string,
    shape: Shape<T>,
    signal: AbortSignal,
    missing?: AppError,
  ): Promise<T> {
    const options = { ...askOptions(access, path, signal), timeoutMs };
    const { status, text } = await exchange(options);
    if (status === 404 && missing !== undefined) throw missing;
    if (status !== 200) throw refusedBy(options, refusalOf(options.url.host, status), text);
    return parseAnswer(options, shape, text);
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
    handOff: (access, media, signal) => handOff(access, media, signal),
  };
}
