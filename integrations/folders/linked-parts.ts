/** An object of S3 whose parts others write, at addresses that they are given. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ObjectInParts } from '../../domain/ports/media-bucket.ts';
import type { S3Place } from './s3-object.ts';

const CALL_MS = 20_000;
/** The bucket puts the parts together: minutes, of many. */
const COMPLETE_MS = 600_000;

/** Rejects with the error of the library; so does `complete`. */
export async function beginObject(client: S3Client, at: S3Place): Promise<ObjectInParts> {
  const within = (ms: number): { abortSignal: AbortSignal } => ({ abortSignal: AbortSignal.timeout(ms) });
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at), within(CALL_MS));
  const upload = { ...at, UploadId };
  return {
    linkToPart: (part, seconds) =>
      getSignedUrl(client, new UploadPartCommand({ ...upload, PartNumber: part }), { expiresIn: seconds }),
    async complete(tags) {
      const Parts = tags.map((ETag, at) => ({ PartNumber: at + 1, ETag }));
      await client.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
        within(COMPLETE_MS),
      );
    },
    async abandon() {
      // A lifecycle rule of the bucket clears what is left.
      await client.send(new AbortMultipartUploadCommand(upload), within(CALL_MS)).catch(() => undefined);
    },
  };
}
