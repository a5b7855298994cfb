/** ONAIR_MEDIA: a bucket of S3, or of a server that speaks it. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3ServiceException,
  type S3Client,
} from '@aws-sdk/client-s3';
import { AppError } from '../domain/errors.ts';
import type { MediaAddress, MediaBucket } from '../domain/media-bucket.ts';
import { s3Client } from './folders/s3.ts';
import { sendObject } from './folders/s3-object.ts';

/** A bucket that gives no sign of life for so long is away. */
const CALL_MS = 20_000;
const TRANSFER_MS = 3_600_000;
const PROBE = 'onair-probe';

export interface MediaCredentials {
  accessKey: string;
  secretKey: string;
}

/** Resolves once a small object was written and removed. Rejects with AppError unavailable. */
export async function openMediaBucket(address: MediaAddress, credentials: MediaCredentials): Promise<MediaBucket> {
  const { bucket, prefix, endpoint, region } = address;
  const name = `bucket ${bucket}${endpoint === null ? '' : ` at ${new URL(endpoint).host}`}`;
  const open = (): S3Client =>
    s3Client({ region, endpoint, access_key: credentials.accessKey, secret_key: credentials.secretKey });
  const client = open();
  const at = (key: string): { Bucket: string; Key: string } => ({
    Bucket: bucket,
    Key: prefix === '' ? key : `${prefix}/${key}`,
  });
  const failed = (what: string, cause: unknown): AppError =>
    new AppError('upstream_failed', `The ${name} does not ${what}: ${reasonOf(cause)}.`, { cause });
  const media: MediaBucket = {
    name,
    async send(key, path) {
      const { size } = await stat(path);
      const signal = AbortSignal.timeout(TRANSFER_MS);
      const file = { path, size, from: 0, progress: () => undefined };
      await sendObject({ client, secondClient: open, at: at(key), signal }, file).catch((error: unknown) => {
        throw failed('take a file', error);
      });
    },
    async fetch(key, path) {
      try {
        const options = { abortSignal: AbortSignal.timeout(TRANSFER_MS) };
        const { Body } = await client.send(new GetObjectCommand(at(key)), options);
        if (!(Body instanceof Readable)) throw new Error('it sends no content');
        await pipeline(Body, createWriteStream(path, { flags: 'wx', mode: 0o640, flush: true }));
      } catch (error) {
        if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)
          throw new AppError('not_found', `The file is missing in the ${name}.`, { cause: error });
        throw failed('send a file', error);
      }
    },
    async remove(key) {
      const options = { abortSignal: AbortSignal.timeout(CALL_MS) };
      await client.send(new DeleteObjectCommand(at(key)), options).catch((error: unknown) => {
        throw failed('remove a file', error);
      });
    },
  };
  // What cannot be written is found now, and not at the first upload.
  try {
    const options = { abortSignal: AbortSignal.timeout(CALL_MS) };
    await client.send(new PutObjectCommand({ ...at(PROBE), Body: 'onair' }), options);
    await media.remove(PROBE);
  } catch (cause) {
    const why = cause instanceof AppError ? cause : failed('take a file', cause);
    throw new AppError('unavailable', `ONAIR_MEDIA cannot be used. ${why.message}`, {
      cause,
      remedy: 'Correct ONAIR_MEDIA, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or make the bucket.',
    });
  }
  return media;
}

function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceException)
    return `${error.name}, HTTP ${error.$metadata.httpStatusCode ?? 'without a status'}`;
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code ?? (name === 'TimeoutError' ? 'no answer in time' : message);
}
