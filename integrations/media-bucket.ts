/** ONAIR_MEDIA: a bucket of S3, or of a server that speaks it. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
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
import { guardedChunks } from '../domain/network/stall-guard.ts';
import {
  bucketPlace,
  CALL_MS,
  plainCause,
  sendTo,
  silenceGuard,
  SILENCE_MS,
  type BucketCredentials,
  type BucketPlace,
} from './folders/bucket-place.ts';
import { beginObject } from './folders/linked-parts.ts';

/** A transfer of which no byte moves for `silenceMs` is given up. Rejects with AppError unavailable when the bucket cannot be used. */
export async function openMediaBucket(
  address: BucketAddress,
  credentials: BucketCredentials,
  silenceMs = SILENCE_MS,
): Promise<MediaBucket> {
  const place = bucketPlace(address, credentials);
  const { name, client, at, failed } = place;
  const media: MediaBucket = {
    name,
    send: (key, path) => sendTo(place, key, path, silenceMs),
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
    ...linksAndCalls(place),
  };
  await assertUsable(client, at(`onair-probe-${randomUUID()}`), failed);
  return media;
}

/** The calls that move no media through this machine. */
function linksAndCalls({ client, at, failed }: BucketPlace): Omit<MediaBucket, 'name' | 'send' | 'fetch'> {
  return {
    linkTo: (key, seconds, answer) =>
      getSignedUrl(client, new GetObjectCommand({ ...at(key), ...headersOf(answer) }), { expiresIn: seconds }),
    linkToWrite: (key, seconds) => getSignedUrl(client, new PutObjectCommand(at(key)), { expiresIn: seconds }),
    begin: (key) => beginObject(client, at(key), (error) => failed('does not take a file', error)),
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
