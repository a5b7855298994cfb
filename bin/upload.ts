/** `onair upload` streams a file of any size into an Asset bucket as multipart/form-data; memory stays flat. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, invalidInput } from '../domain/base/errors.ts';
import { ASSET_BUCKETS } from '../domain/shapes/media/asset.ts';
import { jsonOf } from '../domain/base/json.ts';
import { VIA_HEADER } from '../toolkit/via.ts';
import { bytesOf, fromProblem } from './client/request.ts';
import { watchSilence } from './client/silence.ts';
import { NoAnswer } from './exit-codes.ts';
import { assertTrustedListener } from './server/listener.ts';
import type { Target } from './settings/credentials.ts';
import { target } from './settings/target.ts';
import { trustFor } from './settings/trust.ts';

export interface UploadFlags {
  type: string;
  name?: string;
}

/** The line at a terminal changes ten times a second at most. */
const LINE_MS = 100;

/** Prints the new Asset as JSON. Rejects with AppError: the server's own problem, or a fault on this side. */
export async function upload(path: string, flags: UploadFlags): Promise<void> {
  process.stdout.write(`${JSON.stringify(await uploadFile(path, flags), null, 2)}\n`);
}

/** The answer has the new Asset. Rejects as upload does. */
export async function uploadFile(path: string, { type, name = basename(path) }: UploadFlags): Promise<unknown> {
  if (!(ASSET_BUCKETS as readonly string[]).includes(type)) {
    throw invalidInput([
      {
        field: 'type',
        code: 'invalid_value',
        message: `must be one of ${ASSET_BUCKETS.join(', ')}`,
        allowed: ASSET_BUCKETS,
      },
    ]);
  }
  return sendFile(target(), '/assets', { fileType: type, filename: name }, path);
}

async function sizeOf(path: string): Promise<number> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new AppError('invalid_input', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  if (!stats.isFile()) throw new AppError('invalid_input', `${path} is no file.`);
  return stats.size;
}

/** Sends a file as the form of an operation. Rejects with AppError: the server's own problem, or a fault on this side. */
export async function sendFile(
  target: Target,
  route: string,
  fields: Record<string, string>,
  path: string,
): Promise<unknown> {
  const size = await sizeOf(path);
  if (target.token === undefined) {
    throw new AppError(
      'unauthenticated',
      `There is no token for ${target.url}. Sign in with onair login ${target.url}, set ONAIR_TOKEN, or start the server once on this machine.`,
    );
  }
  const { head, tail, contentType } = formAround(fields, basename(path));
  const url = new URL(`${target.url}/svcapiv2${route}`);
  const trust = await trustFor(target.url);
  await assertTrustedListener(target.url, target.listener);
  const call = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    ...trust,
    method: 'POST',
    headers: {
      'content-type': contentType,
      'content-length': head.byteLength + size + tail.byteLength,
      accept: 'application/json',
      authorization: `Bearer ${target.token}`,
      [VIA_HEADER]: 'cli',
    },
  });
  const watch = watchSilence(url, (error) => call.destroy(error));
  call.once('close', () => watch.end());
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  // A server that refuses answers and closes while the file is still being sent: its answer counts, not the broken pipe.
  const writing = write(call, head, { file: fileOf(path, size), tail, size, onTaken: watch.heard }).catch(
    (error: unknown) => error,
  );
  const [response] = await answered.catch(async (cause: unknown) => {
    await writing;
    throw new NoAnswer(
      `The upload to ${target.url} broke off: ${(cause as Error).message}. Is the server running (onair serve)?`,
      { cause },
    );
  });
  watch.end();
  const body = jsonOf((await bytesOf(response, target)).toString());
  call.destroy();
  if ((response.statusCode ?? 500) >= 300) throw fromProblem(body, response.statusCode ?? 500);
  return body;
}

/** Reads as many bytes as Content-Length says and no more, even when the file grows meanwhile. */
function fileOf(path: string, size: number): ReadStream {
  return createReadStream(path, size > 0 ? { end: size - 1 } : {});
}

/** The bytes before and after the file. The text fields come first, so that the server may refuse them before the content. */
function formAround(
  fields: Record<string, string>,
  filename: string,
): { head: Buffer; tail: Buffer; contentType: string } {
  const boundary = `onair-${randomUUID()}`;
  const part = (name: string, text: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename.replaceAll(/["\r\n]/gu, '_')}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return {
    head: Buffer.from(
      Object.entries(fields)
        .map(([name, text]) => part(name, text))
        .join('') + file,
    ),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

interface WriteOptions {
  file: ReadStream;
  tail: Buffer;
  size: number;
  onTaken: () => void;
}

async function write(call: ClientRequest, head: Buffer, { file, tail, size, onTaken }: WriteOptions): Promise<void> {
  await pipeline(async function* () {
    yield head;
    const line = progressLine(size);
    let done = 0;
    for await (const chunk of file) {
      yield chunk as Buffer;
      onTaken();
      done += (chunk as Buffer).byteLength;
      line.show(done);
    }
    line.end();
    yield tail;
  }, call);
}

/** Only a terminal gets the line: a log wants none that moves. */
function progressLine(size: number): { show(done: number): void; end(): void } {
  if (!process.stderr.isTTY) return { show: () => undefined, end: () => undefined };
  const sizeMb = (size / 1e6).toFixed(1);
  let writtenMs = 0;
  return {
    show(done) {
      if (Date.now() - writtenMs < LINE_MS) return;
      writtenMs = Date.now();
      process.stderr.write(`\r${Math.floor((done / Math.max(size, 1)) * 100)} % of ${sizeMb} MB sent`);
    },
    end: () => void process.stderr.write(`\r100 % of ${sizeMb} MB sent; the server looks at it …\n`),
  };
}
