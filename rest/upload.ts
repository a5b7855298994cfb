/** Streams the one file of a multipart/form-data body to a temporary file: fields may follow the file, and memory stays flat. */
import { createReadStream, createWriteStream, type ReadStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { isShortage } from '../domain/base/absent.ts';
import { AppError, invalidInput, type FieldIssue } from '../domain/base/errors.ts';
import type { Upload } from '../toolkit/tool.ts';
import { chunksOf } from './body.ts';

export interface UploadLimits {
  /** Bytes of the file. */
  maxBytes: number;
  /** The longest pause of the sender. */
  idleMs: number;
  /** Reserves room on the disk; left out: an upload may fill it. */
  room?: UploadRoom | undefined;
}

/** Reserves room in a folder for as many bytes as are announced; `take` is called before each part that comes. Throws AppError unavailable. */
export type UploadRoom = (directory: string, bytes: number) => Promise<{ take(bytes: number): Promise<void> }>;

export interface ReceivedForm {
  texts: Map<string, string>;
  upload: Upload;
  /** Removes the temporary file. The caller calls it however its call ends. */
  dispose(): Promise<void>;
}

/** A form of ours has two or three short fields; the rest is room for clients that add their own. */
const FORM_LIMITS = {
  files: 1,
  fields: 16,
  parts: 18,
  fieldSize: 4096,
  fieldNameSize: 100,
  headerPairs: 20,
  headerSize: 8192,
};
const TEMPORARY = /^upload-[\da-f-]{36}$/u;

/** Rejects with AppError too_large, unavailable, or invalid_input with the faults of the form; nothing is left on disk then. */
export async function receiveForm(request: Request, directory: string, limits: UploadLimits): Promise<ReceivedForm> {
  const declaredLength = Number(request.headers.get('content-length') ?? 0);
  // The form around the file is small: a body this much larger than the limit cannot hold a file within it.
  if (declaredLength > limits.maxBytes + 1024 * 1024) throw tooLarge(limits.maxBytes);
  await makeFolder(directory);
  // The operation copies the file to where it stays, so for a while there are two.
  const room = await limits.room?.(directory, 2 * declaredLength);
  // Hashing gigabytes takes seconds, so it is done only where a retry has to be distinguished from another file.
  const hash = request.headers.has('idempotency-key') ? createHash('sha256') : undefined;
  const form = new FormFile(join(directory, `upload-${randomUUID()}`), limits.maxBytes, hash);
  try {
    await form.read(request, limits.idleMs, room);
    return form.received();
  } catch (error) {
    await form.discard();
    const appError = error instanceof AppError ? error : shortageOf(error);
    if (appError !== undefined) throw appError;
    // What the machine refuses is no fault of the form.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    // The parser's own messages are about its insides, and after an abort nobody reads the answer.
    throw invalidInput([
      { field: 'body', code: 'invalid_form', message: 'is not a complete multipart/form-data form' },
    ]);
  }
}

/** The parent is there. A recursive mkdir would answer ENOENT where there is no inode left. */
async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw shortageOf(error) ?? error;
  });
}

/** ENOSPC does not mean that no block is free: the file system may have no inodes left. */
function shortageOf(error: unknown): AppError | undefined {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (isShortage(error))
    return new AppError('unavailable', `This server has no free descriptor (${code} at ${syscall}). Try again later.`, {
      cause: error,
      retryAfterSeconds: 5,
    });
  if (syscall === undefined || !['ENOSPC', 'EDQUOT'].includes(code)) return undefined;
  const detail =
    `The disk of the data folder takes no more files (${code} at ${syscall}: its space or its inodes are used up). Delete Assets or ` +
    'Recordings that are not needed, or make room on the machine; then it is taken again.';
  return new AppError('unavailable', detail, { cause: error, facts: { reason: 'disk' } });
}

/** Removes the files that a crash left behind, which nobody has written to since `beforeMs`. */
export async function sweepUploads(directory: string, beforeMs: number): Promise<void> {
  // The folder is made with the first upload.
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((entry) => TEMPORARY.test(entry))) {
    const path = join(directory, name);
    // A file that goes meanwhile is not removed twice.
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? beforeMs;
    if (modifiedMs < beforeMs) await rm(path, { force: true });
  }
}

class FormFile {
  private readonly path: string;
  private readonly maxBytes: number;
  private readonly texts = new Map<string, string>();
  private readonly issues: FieldIssue[] = [];
  /** Ends the reading, because the parser never takes the rest of a part that it skips. */
  private refuse: (error: AppError) => void = () => undefined;
  private filename: string | undefined;
  private file: BusboyFileStream | undefined;
  private writer: WriteStream | undefined;
  private written: Promise<void> = Promise.resolve();
  private reader: ReadStream | undefined;
  private readonly hash: Hash | undefined;

  constructor(path: string, maxBytes: number, hash: Hash | undefined) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.hash = hash;
  }

  /** The parser neither ends nor fails by the rules of streams, so chunks are written by hand, and any failure ends the loop. */
  async read(request: Request, idleMs: number, room: Awaited<ReturnType<UploadRoom>> | undefined): Promise<void> {
    const parser = this.parser(request.headers.get('content-type') ?? '');
    const failure = new Promise<never>((_resolve, reject) => {
      this.refuse = reject;
      parser.once('error', reject);
      request.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      parser.once('file', () => this.written.catch(reject));
      parser.once('file', () => this.file?.once('limit', () => reject(tooLarge(this.maxBytes))));
    });
    // The loop below meets the failure; one that comes after its end must not end the process.
    failure.catch(() => undefined);
    const finished = new Promise<void>((resolve) => parser.once('finish', resolve));
    for await (const chunk of chunksOf(request, idleMs)) {
      await room?.take(chunk.length);
      const write = new Promise<void>((resolve) => parser.write(chunk, () => resolve()));
      await Promise.race([write, failure, stall(idleMs)]);
    }
    parser.end();
    await Promise.race([finished, failure, stall(idleMs)]);
    await this.written;
    if (this.issues.length > 0) throw invalidInput(this.issues);
  }

  received(): ReceivedForm {
    const filename = this.filename;
    if (filename === undefined) {
      throw invalidInput([{ field: 'file', code: 'required', message: 'is required: the content, as a file part' }]);
    }
    this.reader = createReadStream(this.path);
    const content = Readable.toWeb(this.reader) as unknown as Upload['content'];
    const upload = { filename, content, digest: this.hash?.digest('base64url') };
    return { texts: this.texts, upload, dispose: () => this.discard() };
  }

  async discard(): Promise<void> {
    this.reader?.destroy();
    // The error matters: a pipeline takes a stream that is closed after its last byte was pushed for one that has yet to end.
    this.file?.destroy(new Error('upload discarded'));
    // Its error has gone to the reader of the form.
    await this.written.catch(() => undefined);
    // A pipeline that fails does not wait for its writer, which may still be about to create the file.
    const { writer } = this;
    if (writer?.closed === false) await new Promise<void>((resolve) => writer.once('close', resolve));
    await rm(this.path, { force: true });
  }

  private parser(contentType: string): BusboyInstance {
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...FORM_LIMITS, fileSize: this.maxBytes },
      // A path in the file name is for the operation to refuse, not for the parser to cut off.
      preservePath: true,
    });
    parser.on('field', (name, value, nameTruncated, valueTruncated) =>
      this.onField(name, value, nameTruncated || valueTruncated),
    );
    parser.on('file', (name, stream, filename) => this.onFile(name, stream, filename));
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
      parser.on(limit, () => {
        this.issue('body', 'too_many', 'holds more than one file or too many fields');
        this.refuse(invalidInput(this.issues));
      });
    }
    return parser;
  }

  private onField(name: string, value: string, truncated: boolean): void {
    if (this.texts.has(name)) this.issue(name, 'repeated', 'must be given once');
    else if (truncated) this.issue(name, 'too_long', 'is too long', { max: FORM_LIMITS.fieldSize });
    else this.texts.set(name, value);
  }

  private onFile(name: string, stream: BusboyFileStream, filename: string): void {
    if (name !== 'file') {
      this.issue(
        String(name).slice(0, 100),
        'unknown_field',
        'is no file of this form; the content goes into the part file',
      );
      stream.resume();
      this.refuse(invalidInput(this.issues));
      return;
    }
    this.filename = filename;
    this.file = stream;
    const hash = this.hash;
    if (hash !== undefined) stream.on('data', (chunk: Buffer) => hash.update(chunk));
    this.writer = createWriteStream(this.path, { flags: 'wx', mode: 0o600 });
    this.written = pipeline(stream, this.writer);
    // The reader of the form awaits the writer at the end; an error before that must not end the process.
    this.written.catch(() => undefined);
  }

  private issue(field: string, code: string, message: string, limits: object = {}): void {
    this.issues.push({ field, code, message, ...limits });
  }
}

/** Rejects after `ms`, so that the request and its file do not wait for a parser that waits for ever. */
async function stall(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false });
  throw new AppError('timeout', `The upload made no progress for ${ms / 1000} s. Send the file again.`);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large', `The file is larger than ${maxBytes} bytes.`, { facts: { max_bytes: maxBytes } });
}
