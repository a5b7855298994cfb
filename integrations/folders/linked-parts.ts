/** An object of S3 whose parts others write, at addresses that they are given. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { AppError } from '../../domain/base/errors.ts';
import type { ObjectInParts } from '../../domain/ports/media-bucket.ts';
import { CALL_MS } from './bucket-place.ts';
import type { S3Place } from './s3-object.ts';

/** The bucket puts the parts together: minutes, of many. */
const COMPLETE_MS = 600_000;

/** `failed` makes an AppError of what the library throws, whose own fields hold the access key. */
export async function beginObject(
  client: S3Client,
  at: S3Place,
  failed: (error: unknown) => AppError,
): Promise<ObjectInParts> {
  const orFail = (error: unknown): never => {
    throw failed(error);
  };
  const within = (ms: number): { abortSignal: AbortSignal } => ({ abortSignal: AbortSignal.timeout(ms) });
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at), within(CALL_MS)).catch(orFail);
  const upload = { ...at, UploadId };
  return {
    linkToPart: (part, seconds) =>
      getSignedUrl(client, new UploadPartCommand({ ...upload, PartNumber: part }), { expiresIn: seconds }),
    async complete(tags) {
      const Parts = tags.map((ETag, at) => ({ PartNumber: at + 1, ETag }));
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      await client.send(command, within(COMPLETE_MS)).catch(orFail);
    },
    async abandon() {
      // A lifecycle rule of the bucket clears what is left.
      await client.send(new AbortMultipartUploadCommand(upload), within(CALL_MS)).catch(() => undefined);
    },
  };
}
