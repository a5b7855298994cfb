/** S3 and servers that speak it. `folder` is a key prefix, so there is nothing to create or to find beforehand. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { DEFAULT_REGION } from '../../domain/network/bucket-address.ts';
import type { TargetFolder } from '../../domain/shapes/media/folder.ts';
import { reach } from '../reach.ts';
import { FolderFault, forbiddenReason, FULL, type FolderProtocol, type Reason } from './folder.ts';
import { sendObject, type S3Place } from './s3-object.ts';
import { MAX_SMALL_FILE_BYTES } from './small-file.ts';

type Folder = Readonly<TargetFolder>;
const silent = (): void => undefined;

export const s3: FolderProtocol<Folder> = {
  // Within one transfer every part is tried again by itself.
  resumes: false,
  whole: true,
  open(folder, signal) {
    const client = clientOf(folder);
    const prefix = (folder.folder ?? '').split('/').filter(Boolean);
    const at = (name: string): S3Place => ({ Bucket: folder.bucket ?? '', Key: [...prefix, name].join('/') });
    const options = { abortSignal: signal };
    return Promise.resolve({
      send: (name, file) => sendObject({ client, secondClient: () => clientOf(folder), at: at(name), signal }, file),
      async sizeOf(name) {
        try {
          return (await client.send(new HeadObjectCommand(at(name)), options)).ContentLength;
        } catch (error) {
          // The answer to HEAD has no body, and so no code. Without the right to list, a missing object is forbidden (403).
          const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
          if (status === 404 || status === 403) return undefined;
          throw error;
        }
      },
      async receive(name, sink) {
        const { Body } = await client.send(new GetObjectCommand(at(name)), options);
        if (Body instanceof Readable) await pipeline(Body, sink, { signal });
      },
      rename: () => Promise.reject(new FolderFault('S3 has no renaming')),
      remove: async (name) => void (await client.send(new DeleteObjectCommand(at(name)), options)),
      close: () => client.destroy(),
    });
  },

  explain(error, step, folder): Reason | undefined {
    if (!(error instanceof S3ServiceException)) return undefined;
    const status = error.$metadata.httpStatusCode;
    const upstream = `${error.name}: ${error.message}`;
    const reason = REASONS[error.name] ?? (status === 507 ? () => FULL : undefined);
    if (reason !== undefined) return { reason: reason(folder), upstream };
    if (status === 301 || status === 307) return { reason: otherRegion(folder), upstream };
    if (status === 403) return { reason: forbiddenReason(step, `the bucket ${folder.bucket ?? ''}`), upstream };
    const passes = status === undefined || status >= 500 || status === 429;
    return { reason: `the server refused to ${step} a file (HTTP ${status ?? 'without a status'})`, upstream, passes };
  },
};

function clientOf(folder: Folder): S3Client {
  if (folder.endpoint !== null) reach().assertHost(new URL(folder.endpoint).hostname);
  // Other servers than AWS seldom have a name for each bucket in their certificate and in DNS.
  return s3Client({ ...folder, isInPath: folder.endpoint !== null }, reach().lookup);
}

interface ClientPlace extends Pick<Folder, 'region' | 'endpoint' | 'access_key' | 'secret_key'> {
  /** Whether the bucket stands in the path of each request, and not in the name of the host. */
  isInPath: boolean;
}

/** `lookup` finds the addresses of a host and may refuse it; left out, every host may be called. */
export function s3Client(
  { region, endpoint, access_key, secret_key, isInPath }: ClientPlace,
  lookup?: LookupFunction,
): S3Client {
  const agent = lookup === undefined ? { keepAlive: true } : { keepAlive: true, lookup };
  const client = new S3Client({
    region: region ?? DEFAULT_REGION,
    ...(endpoint !== null && { endpoint }),
    forcePathStyle: isInPath,
    credentials: { accessKeyId: access_key ?? '', secretAccessKey: secret_key ?? '' },
    maxAttempts: 1,
    requestHandler: {
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    },
    // The default logger would print on the console.
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    // Checksums in trailers are younger than many S3-compatible servers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  // The SDK takes an answer of any length into memory, even that of a refusal; only the content of an object is streamed.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const response = result.response as { body?: unknown; statusCode?: number };
        const isContent = commandName === 'GetObjectCommand' && response.statusCode === 200;
        if (response.body instanceof Readable && !isContent) response.body = boundedBody(response.body);
        return result;
      },
    // The step comes before the SDK's own reading of the answer.
    { step: 'deserialize', priority: 'low', name: 'boundedAnswers' },
  );
  return client;
}

function boundedBody(body: Readable): Readable {
  let size = 0;
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > MAX_SMALL_FILE_BYTES)
        done(new FolderFault('what answers is no S3 server: its answer is far too long'));
      else done(null, chunk);
    },
  });
  // The reader of `passing` gets the error there.
  pipeline(body, passing).catch(() => undefined);
  return passing;
}

const badKey = (): string => 'the access key or the secret key is wrong';
const otherRegion = (folder: Folder): string =>
  `the bucket ${folder.bucket ?? ''} is not in the region ${folder.region ?? DEFAULT_REGION}`;
/** Error codes of the S3 API reference. */
const REASONS: Record<string, (folder: Folder) => string> = {
  NoSuchBucket: (folder) => `there is no bucket ${folder.bucket ?? ''}`,
  InvalidAccessKeyId: badKey,
  SignatureDoesNotMatch: badKey,
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  QuotaExceeded: () => FULL,
  RequestTimeTooSkewed: () => 'the clock of this machine is wrong',
};
