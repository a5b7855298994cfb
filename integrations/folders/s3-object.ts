/** Sends a file as an S3 object: in one request, or in parts (multipart upload), which are not visible before the last is there. */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { retryDelayMs } from '../../domain/time/back-off.ts';
import type { Sending } from './folder.ts';
import { inOrder } from './transfer.ts';

/** S3 takes parts of 5 MiB or more, and 10,000 of them; three under way take 24 MiB of memory. */
const PART_BYTES = 8 * 1024 * 1024;
const MAX_PARTS = 10_000;
const AT_ONCE = 3;
const PART_RETRY = { max_attempts: 6, initial_delay_ms: 500, max_delay_ms: 15_000 };
const CLEAN_UP_MS = 5000;

export interface S3Place {
  Bucket: string;
  Key: string;
}

export interface S3Upload {
  client: S3Client;
  /** Another client, for the clean-up after the connections of the first were ended. */
  secondClient: () => S3Client;
  at: S3Place;
  signal: AbortSignal;
}

export async function sendObject(to: S3Upload, { path, size, progress }: Sending): Promise<void> {
  const file = await open(path, 'r');
  try {
    if (size > PART_BYTES) return await sendParts(to, file, size, progress);
    const Body = await read(file, 0, size);
    const command = new PutObjectCommand({ ...to.at, Body, ContentMD5: md5(Body) });
    await to.client.send(command, { abortSignal: to.signal });
    progress(size);
  } finally {
    await file.close();
  }
}

async function sendParts(to: S3Upload, file: FileHandle, size: number, progress: Sending['progress']): Promise<void> {
  const { client, at, signal } = to;
  const options = { abortSignal: signal };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at), options);
  const upload = { ...at, UploadId };
  try {
    const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
    const count = Math.ceil(size / partBytes);
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    const etags = inOrder(count, AT_ONCE, async (index) => {
      const Body = await read(file, index * partBytes, Math.min(partBytes, size - index * partBytes));
      const part = { ...upload, PartNumber: index + 1, Body, ContentMD5: md5(Body) };
      return persist(signal, async () => (await client.send(new UploadPartCommand(part), options)).ETag);
    });
    for await (const ETag of etags) {
      Parts.push({ PartNumber: Parts.length + 1, ETag });
      progress(Math.min(size, Parts.length * partBytes));
    }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), options);
  } catch (error) {
    await giveUp(to, upload);
    throw error;
  }
}

/** A request that broke off, or that the server could not serve now, is sent again; a refusal is an answer. */
async function persist<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500;
      const delayMs = retryDelayMs(PART_RETRY, attempt, Math.random());
      if (signal.aborted || delayMs === undefined || (status < 500 && status !== 429 && status !== 408)) throw error;
      await wait(delayMs, undefined, { signal });
    }
  }
}

/** Parts of an upload that nobody completes are stored, and paid for, without being visible. */
async function giveUp({ secondClient }: S3Upload, upload: S3Place & { UploadId: string | undefined }): Promise<void> {
  const client = secondClient();
  try {
    await client.send(new AbortMultipartUploadCommand(upload), { abortSignal: AbortSignal.timeout(CLEAN_UP_MS) });
  } catch {
    // The server is away, or has forgotten the upload: a lifecycle rule of the bucket clears such uploads.
  } finally {
    client.destroy();
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(part, done, length - done, position + done);
    if (bytesRead === 0) throw new Error('the file became shorter while it was sent');
    done += bytesRead;
  }
  return part;
}

/** The server refuses a part that arrives with other content (BadDigest). */
function md5(content: Buffer): string {
  return createHash('md5').update(content).digest('base64');
}
