/** One bounded HTTP exchange with another service. Its failures become sentences without a secret. */
import type { Dispatcher } from 'undici';
import { anySignal } from '../domain/base/any-signal.ts';
import { AppError, withUpstream } from '../domain/base/errors.ts';
import { NetworkRefusal } from '../domain/network/networks.ts';
import type { Finding } from '../domain/base/validation.ts';
import { reach } from './reach.ts';

export interface ExchangeOptions {
  /** The service's name in messages, such as `key server`. */
  service: string;
  url: URL;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers: Readonly<Record<string, string>>;
  /** A Blob of a file is read as it is sent. */
  body?: string | FormData | Blob;
  /** Values that no message may repeat, in every form in which they were sent. */
  secrets: readonly string[];
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
}

export interface Exchanged {
  status: number;
  text: string;
}

/** Quotes of the other side's text have room for its message, and are too short for a page. */
const QUOTED_CHARACTERS = 300;

/** Codes of Node's sockets, resolver and TLS, and of its HTTP client. */
const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  ENOTFOUND: 'has a name that does not resolve',
  EAI_AGAIN: 'has a name that cannot be resolved now',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not accept the connection',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection',
};

let dispatcher: Promise<Dispatcher> | undefined;

/**
 * fetch connects to the address that was checked: a name that changes between a check and the connection would lead elsewhere. The package
 * is loaded for the first exchange, since that takes a tenth of a second.
 */
function checkedConnections(): Promise<Dispatcher> {
  return (dispatcher ??= import('undici').then(
    // The bundle has the names of a CommonJS package in its default alone.
    ({ default: { Agent } }) => new Agent({ connect: { lookup: (...question) => reach().lookup(...question) } }),
  ));
}

/**
 * Redirects are not followed: credentials go to the host that was configured and to no other. Rejects with AppError upstream_failed or,
 * when the time is over or the caller has gone, timeout.
 */
export async function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const { service, url, method, headers, body, timeoutMs, maxBytes, signal } = options;
  const bound = AbortSignal.timeout(timeoutMs);
  const either = anySignal([signal, bound]);
  try {
    reach().assertHost(url.hostname);
    const dispatcher = await checkedConnections();
    const order = { dispatcher, method, headers, redirect: 'manual' as const, signal: either };
    const response = await fetch(url, { ...order, ...(body !== undefined && { body }) });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new AppError('upstream_failed', redirection(options, response.headers.get('location')));
    }
    return { status: response.status, text: await boundedText(response, maxBytes, `The ${service} at ${url.host}`) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const networkRefusal = causes(error).find((cause) => cause instanceof NetworkRefusal);
    if (networkRefusal !== undefined)
      throw new AppError('upstream_failed', `The ${service} was not asked: ${networkRefusal.message}.`);
    if (either.aborted) {
      const detail = bound.aborted
        ? `The ${service} at ${url.host} did not answer within ${timeoutMs / 1000} s.`
        : `The call ended before the ${service} at ${url.host} had answered.`;
      throw new AppError('timeout', detail);
    }
    // Neither the message nor the cause is kept: a client's words about a request may repeat its headers.
    throw new AppError('upstream_failed', `The ${service} at ${url.host} ${failureOf(error)}.`);
  }
}

function redirection({ service, url }: ExchangeOptions, location: string | null): string {
  const target =
    location !== null && URL.canParse(location, url.href) ? new URL(location, url).origin : 'another place';
  return `The ${service} at ${url.host} redirects to ${target}; redirects are not followed. Configure the URL that answers itself.`;
}

function failureOf(error: unknown): string {
  const code = codeOf(error);
  const known = UNREACHABLE[code];
  if (known !== undefined) return `${known} (${code})`;
  if (/CERT|SELF_SIGNED|ISSUER/u.test(code)) return `shows a TLS certificate that is not trusted (${code})`;
  if (/SSL|TLS/u.test(code)) return `does not speak TLS as asked (${code})`;
  if (code.startsWith('HPE_')) return `does not speak HTTP (${code})`;
  // The Fetch standard bars ports of mail, X11 and the like (§2.9).
  if (error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port')
    return 'has a port that HTTP clients refuse to use';
  return code === '' ? 'could not be spoken to' : `could not be spoken to (${code})`;
}

function codeOf(error: unknown): string {
  const codes = causes(error).map((cause) => (cause as { code?: unknown }).code);
  return codes.find((code) => typeof code === 'string') ?? '';
}

/** The HTTP client wraps the error of the socket. */
function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}

async function boundedText(response: Response, maxBytes: number, who: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null) {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      // Leaving the loop cancels the body, and the connection with it.
      if (size > maxBytes) throw new AppError('upstream_failed', `${who} answers more than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Text of the other side on one line, cut, and without our secrets: a server may well repeat what it was sent. */
export function quote(text: string, secrets: readonly string[]): string {
  const visible = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length)
    .reduce((words, secret) => words.replaceAll(secret, '****'), text);
  return visible
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, QUOTED_CHARACTERS);
}

/** The error for an unusable answer, with the other side's own text. */
export function refusedBy(options: Pick<ExchangeOptions, 'secrets'>, detail: string, text: string): AppError {
  const upstream = quote(text, options.secrets);
  return new AppError('upstream_failed', detail, upstream === '' ? {} : { upstream });
}

/** Turns a failure of the other side into a finding; rethrows any other error. */
export function findingOf(error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  return { valid: false, reason: withUpstream(error) };
}
