/** A bucket of S3, or of a server that speaks it: how it is reached, and how its errors are told. */
import { stat } from 'node:fs/promises';
import { S3ServiceException, type S3Client } from '@aws-sdk/client-s3';
import { AppError } from '../../domain/base/errors.ts';
import type { BucketAddress } from '../../domain/network/bucket-address.ts';
import { StallGuard } from '../../domain/network/stall-guard.ts';
import { s3Client } from './s3.ts';
import { sendObject, type S3Place } from './s3-object.ts';

/** A call without content takes milliseconds; a bucket that has not answered it by then is away. */
export const CALL_MS = 20_000;
/** Time for a part of an upload by a slow line (8 MiB with 0.5 Mbit/s). */
export const SILENCE_MS = 120_000;

export interface BucketCredentials {
  accessKey: string;
  secretKey: string;
}

export interface BucketPlace {
  /** For people, without secrets. */
  name: string;
  client: S3Client;
  /** Another client with connections of its own. */
  open(): S3Client;
  /** The object of a key below the prefix. */
  at(key: string): S3Place;
  /** Makes the error of a call from what failed in words, and from what the library threw. */
  failed(what: string, cause: unknown): AppError;
}

/** The bucket is not asked. */
export function bucketPlace(address: BucketAddress, { accessKey, secretKey }: BucketCredentials): BucketPlace {
  const { bucket, prefix, endpoint, region, isInPath } = address;
  const name = bucketName(address);
  const open = (): S3Client => s3Client({ region, endpoint, access_key: accessKey, secret_key: secretKey, isInPath });
  const at = (key: string): S3Place => ({ Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` });
  return { name, client: open(), open, at, failed: failureOf(name) };
}

/** Sends a file. A transfer of which no byte moves for `silenceMs` is given up. Rejects with AppError. */
export async function sendTo(
  { client, open, at, failed }: BucketPlace,
  key: string,
  path: string,
  silenceMs: number,
): Promise<void> {
  const { size } = await stat(path);
  const stall = silenceGuard(silenceMs);
  const file = { path, size, from: 0, progress: () => stall.moved() };
  try {
    await sendObject({ client, secondClient: open, at: at(key), signal: stall.signal }, file);
  } catch (error) {
    throw failed('does not take a file', stall.signal.aborted ? stall.signal.reason : error);
  } finally {
    stall.end();
  }
}

/** For people. */
function bucketName({ bucket, endpoint }: BucketAddress): string {
  return `bucket ${bucket}${endpoint === null ? '' : ` at ${new URL(endpoint).host}`}`;
}

/** Makes the error of a call from what failed in words, and from what the library threw. */
function failureOf(name: string): (what: string, cause: unknown) => AppError {
  return (what, cause) =>
    new AppError(isRefusal(cause) ? 'upstream_failed' : 'unavailable', `The ${name} ${what}: ${reasonOf(cause)}.`, {
      cause: plainCause(cause),
    });
}

export function silenceGuard(silenceMs: number): StallGuard {
  return new StallGuard(silenceMs, new Error(`no byte has moved for ${silenceMs / 1000} s`));
}

/** An answer that the next call would get again. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500;
  return status < 500 && status !== 408 && status !== 429;
}

/** The library's own error has all that the server answered, the access key for one, and a log writes all fields of an error. */
export function plainCause(error: unknown): unknown {
  return error instanceof S3ServiceException ? new Error(`${error.name}: ${error.message}`) : error;
}

function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceException)
    return `${error.name}, HTTP ${error.$metadata.httpStatusCode ?? 'without a status'}`;
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code ?? (name === 'TimeoutError' || name === 'AbortError' ? 'no answer in time' : message);
}
