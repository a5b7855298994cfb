/** ONAIR_ARCHIVE: a bucket of S3, or of a server that speaks it, that objects are put into. The key needs no other right there. */
import { stat } from 'node:fs/promises';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { BucketAddress } from '../domain/network/bucket-address.ts';
import type { ArchiveBucket } from '../domain/ports/archive-bucket.ts';
import { s3Client } from './folders/s3.ts';
import { sendObject } from './folders/s3-object.ts';
import { bucketName, CALL_MS, failureOf, silenceGuard, SILENCE_MS, type MediaCredentials } from './media-bucket.ts';

const DESCRIPTION = `onair keeps audit entries and events here: a gzip file of each day (UTC), with a JSON object a line.
audit/<year>/<month>/audit-<day>-<first id>-<last id>.ndjson.gz
events/<year>/<month>/events-<day>-<first id>-<last id>.ndjson.gz
The files of a collection go on from one another: each begins with the id behind the last one of the file before.
`;

/** The bucket is not asked before the first call. A transfer of which no byte moves for `silenceMs` is given up. */
export function openArchiveBucket(
  address: BucketAddress,
  { accessKey, secretKey }: MediaCredentials,
  silenceMs = SILENCE_MS,
): ArchiveBucket {
  const { bucket, prefix, endpoint, region, isInPath } = address;
  const open = (): S3Client => s3Client({ region, endpoint, access_key: accessKey, secret_key: secretKey, isInPath });
  const client = open();
  const name = bucketName(address);
  const failed = failureOf(name);
  const at = (key: string): { Bucket: string; Key: string } => ({
    Bucket: bucket,
    Key: prefix === '' ? key : `${prefix}/${key}`,
  });
  return {
    name,
    async describe() {
      const content = { Body: DESCRIPTION, ContentType: 'text/plain; charset=utf-8' };
      const options = { abortSignal: AbortSignal.timeout(CALL_MS) };
      await client.send(new PutObjectCommand({ ...at('about.txt'), ...content }), options).catch((error: unknown) => {
        throw failed('does not take a file', error);
      });
    },
    async send(key, path) {
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
    },
  };
}
