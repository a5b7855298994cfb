/** ONAIR_ARCHIVE: a bucket of S3, or of a server that speaks it, that objects are put into. The key needs no other right there. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { BucketAddress } from '../domain/network/bucket-address.ts';
import type { ArchiveBucket } from '../domain/ports/archive-bucket.ts';
import { bucketPlace, CALL_MS, sendTo, SILENCE_MS, type BucketCredentials } from './folders/bucket-place.ts';

const DESCRIPTION = `onair keeps audit entries and events here: a gzip file of each day (UTC), with a JSON object a line.
audit/<year>/<month>/audit-<day>-<first id>-<last id>.ndjson.gz
events/<year>/<month>/events-<day>-<first id>-<last id>.ndjson.gz
The files of a collection go on from one another: each begins with the id behind the last one of the file before.
`;

/** The bucket is not asked before the first call. A transfer of which no byte moves for `silenceMs` is given up. */
export function openArchiveBucket(
  address: BucketAddress,
  credentials: BucketCredentials,
  silenceMs = SILENCE_MS,
): ArchiveBucket {
  const place = bucketPlace(address, credentials);
  const { name, client, at, failed } = place;
  return {
    name,
    async describe() {
      const content = { Body: DESCRIPTION, ContentType: 'text/plain; charset=utf-8' };
      const options = { abortSignal: AbortSignal.timeout(CALL_MS) };
      await client.send(new PutObjectCommand({ ...at('about.txt'), ...content }), options).catch((error: unknown) => {
        throw failed('does not take a file', error);
      });
    },
    send: (key, path) => sendTo(place, key, path, silenceMs),
  };
}
