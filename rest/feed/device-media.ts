/** Reads a file of a Destination from the Device that serves it, whichever machine that is on. */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions as HttpsOptions } from 'node:https';
import type { MediaSource } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import { PAGE_AGENT, PLAYBACK_TOKEN_HEADER } from '../../domain/shapes/destinations/playback.ts';

/** A Device answers within some milliseconds. A connection without a byte for so long is dead, at its end or at the caller's. */
const SILENCE_MS = 20_000;
/** A segment of a minute at 100 Mbit/s has 750 MB. */
const MAX_BYTES = 1024 ** 3;
const RETRY_SECONDS = 5;
/** A Device is another machine: what it answers beside media is for nobody's browser. */
const MEDIA_TYPE = /^(?:application\/(?:vnd\.apple\.mpegurl|dash\+xml)|(?:audio|video)\/[\w.+-]+|text\/vtt)(?:;|$)/u;

export interface MediaOrder {
  method: 'GET' | 'HEAD';
  /** The path below the source's folder, checked by the caller. */
  file: string;
  /** The query, with its question mark; empty where there is none. */
  search: string;
  headers: Record<string, string>;
  signal: AbortSignal;
  trust?: Pick<HttpsOptions, 'ca' | 'checkServerIdentity'> | undefined;
}

/**
 * Resolves with an answer of status 200, 206, 304 or 416, whose content is not read yet. Rejects with AppError not_found, unavailable or
 * upstream_failed. A redirect is not followed: it is no media of this Device.
 */
export async function deviceMedia(source: MediaSource, order: MediaOrder): Promise<IncomingMessage> {
  const answer = await send(source, order);
  const refusal = refusalOf(answer, order);
  if (refusal === undefined) return answer;
  answer.destroy();
  throw refusal;
}

function send(
  { url, token }: MediaSource,
  { method, file, search, headers, signal, trust }: MediaOrder,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new AppError('upstream_failed', 'The Device does not answer with the media.', { cause }));
    try {
      const named = { ...headers, 'user-agent': PAGE_AGENT };
      const authorized = token === undefined ? named : { ...named, [PLAYBACK_TOKEN_HEADER]: token };
      // Each file has a connection of its own: one that is kept may be closed by the Device just when the next request goes out.
      const to = new URL(`${file}${search}`, url);
      const options = { method, headers: authorized, signal, agent: false } as const;
      const outgoing = to.protocol === 'https:' ? httpsRequest(to, { ...trust, ...options }) : httpRequest(to, options);
      outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error('The Device is silent.')));
      outgoing.once('response', resolve).on('error', fail).end();
    } catch (cause) {
      // A Device tells its address itself: it may be none of HTTP.
      fail(cause);
    }
  });
}

function refusalOf({ statusCode = 0, headers }: IncomingMessage, { method, file }: MediaOrder): AppError | undefined {
  if (statusCode === 304 || statusCode === 416) return undefined;
  if (statusCode === 404)
    return new AppError('not_found', `The Device has no ${file} of this Destination, or no longer.`);
  if (statusCode === 503)
    return new AppError('unavailable', 'The Device has too many viewers.', { retryAfterSeconds: RETRY_SECONDS });
  if (statusCode !== 200 && statusCode !== 206)
    return new AppError('upstream_failed', `The Device answers ${statusCode} in place of the media.`);
  if (!MEDIA_TYPE.test(headers['content-type'] ?? '') || !isBounded(headers, method))
    return new AppError('upstream_failed', 'The Device answers something that is no media.');
  return undefined;
}

function isBounded({ 'content-length': length }: IncomingHttpHeaders, method: string): boolean {
  return length === undefined ? method === 'HEAD' : Number(length) <= MAX_BYTES;
}
