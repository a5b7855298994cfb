/** ONAIR_MEDIA: a bucket of S3, or of a server that speaks it. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3ServiceException,
  type GetObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AppError } from '../domain/base/errors.ts';
import { escapedKey, type BucketAddress } from '../domain/network/bucket-address.ts';
import type { LinkedAnswer, MediaBucket } from '../domain/ports/media-bucket.ts';
import { guardedChunks, StallGuard } from '../domain/network/stall-guard.ts';
import { s3Client } from './folders/s3.ts';
import { beginObject } from './folders/linked-parts.ts';
import { sendObject, type S3Place } from './folders/s3-object.ts';

/** A call without content takes milliseconds; a bucket that has not answered it by then is away. */
export const CALL_MS = 20_000;
/** Time for a part of an upload by a slow line (8 MiB with 0.5 Mbit/s). */
export const SILENCE_MS = 120_000;

export interface MediaCredentials {
  accessKey: string;
  secretKey: string;
}

/** A transfer of which no byte moves for `silenceMs` is given up. Rejects with AppError unavailable when the bucket cannot be used. */
export async function openMediaBucket(
  address: BucketAddress,
  credentials: MediaCredentials,
  silenceMs = SILENCE_MS,
): Promise<MediaBucket> {
  const { bucket, prefix, endpoint, region, isInPath } = address;
  const name = bucketName(address);
  const open = (): S3Client =>
    s3Client({ region, endpoint, access_key: credentials.accessKey, secret_key: credentials.secretKey, isInPath });
  const client = open();
  const at = (key: string): S3Place => ({
    Bucket: bucket,
    Key: prefix === '' ? key : `${prefix}/${key}`,
  });
  const failed = failureOf(name);
  const media: MediaBucket = {
    name,
    async send(key, path) {
      const { size } = await stat(path);
      const stall = silenceGuard(silenceMs);
      const file = { path, size, from: 0, progress: () => stall.moved() };
      const to = { client, secondClient: open, at: at(key), signal: stall.signal };
      try {
        await sendObject(to, file);
      } catch (error) {
        throw failed('does not take a file', stall.signal.aborted ? stall.signal.reason : error);
      } finally {
        stall.end();
      }
    },
    async fetch(key, path, take) {
      const stall = silenceGuard(silenceMs);
      try {
        const body = await client.send(new GetObjectCommand(at(key)), { abortSignal: stall.signal }).then(
          ({ Body }) => Body as Readable,
          (error: unknown) => {
            if (error instanceof S3ServiceException && error.name === 'NoSuchKey')
              throw new AppError('not_found', `The file is missing in the ${name}.`, { cause: plainCause(error) });
            throw failed('does not send a file', stall.signal.aborted ? stall.signal.reason : error);
          },
        );
        stall.signal.addEventListener('abort', () => body.destroy(stall.signal.reason as Error));
        const chunks = guardedChunks(body, stall, (error) => failed('does not send a file', error));
        await pipeline(bytesOf(chunks, take), createWriteStream(path, { flags: 'wx', mode: 0o640, flush: true }));
      } finally {
        stall.end();
      }
    },
    ...linksAndCalls(client, at, failed),
  };
  await assertUsable(client, at(`onair-probe-${randomUUID()}`), failed);
  return media;
}

/** The calls that move no media through this machine. */
function linksAndCalls(
  client: S3Client,
  at: (key: string) => S3Place,
  failed: (what: string, cause: unknown) => AppError,
): Omit<MediaBucket, 'name' | 'send' | 'fetch'> {
  return {
    linkTo: (key, seconds, answer) =>
      getSignedUrl(client, new GetObjectCommand({ ...at(key), ...headersOf(answer) }), { expiresIn: seconds }),
    linkToWrite: (key, seconds) => getSignedUrl(client, new PutObjectCommand(at(key)), { expiresIn: seconds }),
    async begin(key) {
      try {
        return await beginObject(client, at(key));
      } catch (error) {
        throw failed('does not take a file', error);
      }
    },
    async sizeOf(key) {
      const options = { abortSignal: AbortSignal.timeout(CALL_MS) };
      try {
        return (await client.send(new HeadObjectCommand(at(key)), options)).ContentLength;
      } catch (error) {
        // Without the right to list, a missing object is forbidden.
        const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
        if (status === 404 || status === 403) return undefined;
        throw failed('does not say how large a file is', error);
      }
    },
    async remove(key) {
      const options = { abortSignal: AbortSignal.timeout(CALL_MS) };
      await client.send(new DeleteObjectCommand(at(key)), options).catch((error: unknown) => {
        throw failed('does not remove a file', error);
      });
    },
  };
}

/** The name is told in the form of RFC 6266, which browsers save it under. */
function headersOf(answer: LinkedAnswer | undefined): Partial<GetObjectCommandInput> {
  if (answer === undefined) return {};
  const ResponseContentDisposition = `attachment; filename*=UTF-8''${escapedKey(answer.filename)}`;
  return { ResponseContentType: answer.contentType, ResponseContentDisposition };
}

/** For people. */
export function bucketName({ bucket, endpoint }: BucketAddress): string {
  return `bucket ${bucket}${endpoint === null ? '' : ` at ${new URL(endpoint).host}`}`;
}

/** Makes the error of a call from what failed in words, and from what the library threw. */
export function failureOf(name: string): (what: string, cause: unknown) => AppError {
  return (what, cause) =>
    new AppError(isRefusal(cause) ? 'upstream_failed' : 'unavailable', `The ${name} ${what}: ${reasonOf(cause)}.`, {
      cause: plainCause(cause),
    });
}

export function silenceGuard(silenceMs: number): StallGuard {
  return new StallGuard(silenceMs, new Error(`no byte has moved for ${silenceMs / 1000} s`));
}

/** The content of an object, with room taken for each piece. */
async function* bytesOf(chunks: AsyncIterable<Buffer>, take: (bytes: number) => Promise<void>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    await take(chunk.length);
    yield chunk;
  }
}

/** A bucket that cannot be written or read is refused at the start, and not at the first upload. Each server tries an object of its own. */
async function assertUsable(
  client: S3Client,
  probe: { Bucket: string; Key: string },
  failed: (what: string, cause: unknown) => AppError,
): Promise<void> {
  const options = { abortSignal: AbortSignal.timeout(CALL_MS) };
  let what = 'does not take a file';
  try {
    await client.send(new PutObjectCommand({ ...probe, Body: 'onair' }), options);
    what = 'does not send a file';
    const { Body } = await client.send(new GetObjectCommand(probe), options);
    (Body as Readable).resume();
    what = 'does not remove a file';
    await client.send(new DeleteObjectCommand(probe), options);
  } catch (cause) {
    client.destroy();
    throw new AppError('unavailable', `ONAIR_MEDIA cannot be used. ${failed(what, cause).message}`, {
      cause: plainCause(cause),
      remedy:
        'Correct ONAIR_MEDIA, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, make the bucket, or allow the key to put, get and delete objects in it.',
    });
  }
}

/** An answer that the next call would get again. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500;
  return status < 500 && status !== 408 && status !== 429;
}

/** The library's own error has all that the server answered, the access key for one, and a log writes all fields of an error. */
function plainCause(error: unknown): unknown {
  return error instanceof S3ServiceException ? new Error(`${error.name}: ${error.message}`) : error;
}

function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceException)
    return `${error.name}, HTTP ${error.$metadata.httpStatusCode ?? 'without a status'}`;
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code ?? (name === 'TimeoutError' || name === 'AbortError' ? 'no answer in time' : message);
}
