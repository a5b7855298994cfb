/** Writes a range of a file to an address of a bucket. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../../domain/base/errors.ts';
import { readBody } from '../../socket-http.ts';

export interface Range {
  path: string;
  /** First byte, and the one behind the last. */
  from: number;
  to: number;
  url: string;
  bytesPerSecond: number | undefined;
}

/** A bucket that takes no byte for so long, or does not answer, is away. */
const SILENCE_MS = 60_000;

/**
 * Resolves with the tag (ETag) of the answer. The bucket gets a hash of the content before it, and refuses what arrives otherwise. Rejects
 * with AppError upstream_failed; no error shows the address.
 */
export async function sendRange(range: Range, signal: AbortSignal): Promise<string> {
  const { url, from, to } = range;
  const host = new URL(url).host;
  const failed = (why: string, cause?: unknown): AppError =>
    new AppError('upstream_failed', `The Device could not send a Recording to ${host}: ${why}.`, { cause });
  try {
    const hash = createHash('md5');
    for await (const chunk of contentOf(range)) hash.update(chunk as Buffer);
    const headers = { 'content-length': to - from, 'content-md5': hash.digest('base64') };
    const ask = url.startsWith('https:') ? secureRequest : plainRequest;
    const outgoing = ask(url, { method: 'PUT', headers, signal });
    outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error(`nothing moves for ${SILENCE_MS / 1000} s`)));
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
    });
    // A refusal may come before all is sent, and breaks the pipe: then the answer counts.
    pipeline(contentOf(range), (chunks: AsyncIterable<Buffer>) => paced(chunks, range, signal), outgoing).catch(
      () => undefined,
    );
    const reply = await answer;
    await readBody(reply).catch(() => undefined);
    const { etag } = reply.headers;
    if (reply.statusCode !== 200 || etag === undefined) throw failed(`HTTP ${reply.statusCode}`);
    return etag;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw failed(code ?? message, error);
  }
}

function contentOf({ path, from, to }: Range): ReturnType<typeof createReadStream> {
  return createReadStream(path, { start: from, end: to - 1 });
}

/** A broadcast on air needs the line more than this does. */
async function* paced(
  chunks: AsyncIterable<Buffer>,
  { bytesPerSecond }: Range,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    if (bytesPerSecond !== undefined) await wait((chunk.length / bytesPerSecond) * 1000, undefined, { signal });
  }
}
