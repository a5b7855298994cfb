/** Reads JSON bodies within bounds of size, time and content. */
import { withDeadline } from '../domain/time/deadline.ts';
import { AppError, invalidInput } from '../domain/base/errors.ts';
import { assertBounded } from '../toolkit/input/json-bounds.ts';

/** The largest body of an operation is a full Live stream of some 20 KB; 1 MB leaves room and cannot hurt. */
const MAX_BYTES = 1024 * 1024;
/** A body of 1 MB takes 30 s at 0.3 Mbit/s; a slower sender holds a connection for nothing. */
export const BODY_TIMEOUT_MS = 30_000;

const JSON_MEDIA = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/iu;

/** Answers `{}` where there is no body. Throws AppError unsupported_media, too_large or invalid_input with the field `body`. */
export async function readJsonObject(
  request: Request,
  timeoutMs: number,
  maxBytes = MAX_BYTES,
): Promise<Record<string, unknown>> {
  const { headers } = request;
  const declaredLength = headers.get('content-length');
  if (declaredLength === '0') return {};
  const mediaType = headers.get('content-type');
  if (mediaType !== null && !JSON_MEDIA.test(mediaType))
    throw unsupported(`The body is ${JSON.stringify(mediaType.slice(0, 100))}`);
  const coding = headers.get('content-encoding');
  if (coding !== null && coding.toLowerCase() !== 'identity')
    throw unsupported(`The body is encoded with ${JSON.stringify(coding.slice(0, 50))}`);
  if (declaredLength !== null && Number(declaredLength) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await inTime(
    declaredLength === null ? readCounted(request, maxBytes) : readDeclared(request),
    timeoutMs,
    `did not arrive within ${timeoutMs / 1000} s`,
  );
  if (bytes.byteLength === 0) return {};
  if (mediaType === null) throw unsupported('The body has no Content-Type');
  return toObject(bytes);
}

/** GET and DELETE take their fields in the query; a body there would be ignored by some intermediaries and refused by others. */
export function assertNoBody(headers: Headers): void {
  const declaredLength = headers.get('content-length');
  if ((declaredLength === null || declaredLength === '0') && headers.get('transfer-encoding') === null) return;
  throw invalidBody('unexpected', 'is not taken by this operation; send its fields in the query');
}

function toObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    assertBounded(text, 'body');
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalidBody('invalid_json', 'is not valid JSON in UTF-8');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidBody('invalid_type', 'must be a JSON object');
}

/** The HTTP parser holds a body to its Content-Length. */
async function readDeclared(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer());
}

/** Counts a body of unknown length while it comes. */
async function readCounted(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Yields the body as it comes; throws when nothing comes for `idleMs`. When the reader stops early, the rest is read and dropped: to cancel
 * the stream, as iterating it would, cuts the connection before the answer is out. The server hangs up on what takes too long.
 */
export async function* chunksOf(request: Request, idleMs?: number): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  if (reader === undefined) return;
  try {
    for (;;) {
      const reading = reader.read();
      const { done, value } = await (idleMs === undefined
        ? reading
        : inTime(reading, idleMs, `stopped arriving for ${idleMs / 1000} s`));
      if (done) return;
      yield value;
    }
  } finally {
    // The answer does not depend on the rest of a body, which is only read so that its sender can read the answer.
    drain(reader).catch(() => undefined);
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

async function inTime<T>(reading: Promise<T>, timeoutMs: number, otherwise: string): Promise<T> {
  try {
    return await withDeadline(reading, timeoutMs, () => {
      throw incomplete(otherwise);
    });
  } catch (error) {
    throw error instanceof AppError ? error : incomplete('ended before it was complete');
  }
}

function incomplete(message: string): AppError {
  return invalidBody('incomplete', message);
}

function invalidBody(code: string, message: string, limits: object = {}): AppError {
  return invalidInput([{ field: 'body', code, message, ...limits }]);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large', `The body is larger than ${maxBytes} bytes.`, { facts: { max_bytes: maxBytes } });
}

function unsupported(what: string): AppError {
  const allowed = ['application/json'];
  return new AppError('unsupported_media', `${what}. Send application/json, not compressed.`, { facts: { allowed } });
}
