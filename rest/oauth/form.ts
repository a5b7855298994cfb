/** Forms as OAuth and the consent page send them (application/x-www-form-urlencoded), within bounds of size and time. */
import { withDeadline } from '../../domain/time/deadline.ts';
import { refusal } from '../../auth/oauth/refusals.ts';
import { chunksOf } from '../body.ts';

/** A consent that names each operation has some 10 KB. */
const MAX_BYTES = 64 * 1024;
const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/iu;

/** Rejects with AppError invalid_request. */
export async function readForm(request: Request, timeoutMs: number): Promise<URLSearchParams> {
  if (!FORM.test(request.headers.get('content-type') ?? ''))
    throw refusal('invalid_request', 'Send the fields as application/x-www-form-urlencoded.');
  const text = await withDeadline(textOf(request), timeoutMs, () => {
    throw refusal('invalid_request', `The body did not arrive within ${timeoutMs / 1000} s.`);
  });
  return new URLSearchParams(text);
}

/** The value of a field that stands there once; undefined where it is missing or empty. Throws AppError invalid_request. */
export function fieldOf(form: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = form.getAll(name);
  if (more.length > 0) throw refusal('invalid_request', `${name} stands there more than once.`);
  return value === '' ? undefined : value;
}

/** Throws AppError invalid_request where it is missing. */
export function neededField(form: URLSearchParams, name: string): string {
  const value = fieldOf(form, name);
  if (value === undefined) throw refusal('invalid_request', `${name} is missing.`);
  return value;
}

async function textOf(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw refusal('invalid_request', `The body has more than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
