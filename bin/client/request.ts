/** One request of the CLI to its server, by Node's own client: loading a fetch takes a tenth of a second, which people see. */
import type { IncomingMessage } from 'node:http';
import { AppError, type Problem } from '../../domain/base/errors.ts';
import { VIA_HEADER } from '../../toolkit/via.ts';
import { readCredentials, type Target } from '../settings/credentials.ts';
import { NoAnswer } from '../exit-codes.ts';
import { documentParts, Silence, watchSilence } from './silence.ts';

export interface RequestOptions {
  method: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
}

const MAX_HOPS = 5;
/** After any other redirect a call with a body would become one that only reads. */
const KEEPS_METHOD = new Set([307, 308]);

/** Rejects with NoAnswer, with AppError unauthenticated where no token is known, and as assertTrustedListener does. */
export async function requestAs(target: Target, url: URL, options: RequestOptions): Promise<IncomingMessage> {
  if (target.token === undefined) throw await withoutToken(target);
  if (url.protocol === 'http:')
    await (await import('../server/listener.ts')).assertTrustedListener(url.origin, target.listener);
  return request(target, url, { ...options, headers: { ...options.headers, authorization: `Bearer ${target.token}` } });
}

/** The request of somebody who has no token yet. */
export async function request(
  target: Pick<Target, 'url'>,
  url: URL,
  { method, headers = {}, body }: RequestOptions,
): Promise<IncomingMessage> {
  const all = {
    ...headers,
    [VIA_HEADER]: 'cli',
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  let at = url;
  for (let hops = 0; ; hops += 1) {
    const response = await send(at, method, all, body).catch((cause: unknown) => {
      throw silent(target.url, cause);
    });
    const { location } = response.headers;
    const { statusCode = 0 } = response;
    if (statusCode < 300 || statusCode > 399 || location === undefined) return response;
    at = redirected(at, location, hops < MAX_HOPS && (method === 'GET' || KEEPS_METHOD.has(statusCode)));
    response.resume();
  }
}

async function send(
  url: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<IncomingMessage> {
  const client = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const trust =
    url.protocol === 'https:' ? await (await import('../settings/trust.ts')).trustFor(url.origin) : undefined;
  return new Promise((resolve, reject) => {
    // A connection of its own for each call: a kept one could be one that a server is about to close.
    const outgoing = client.request(url, { ...trust, method, headers, agent: false });
    const watch = watchSilence(url, (error) => outgoing.destroy(error));
    outgoing.once('error', reject);
    outgoing.once('close', () => watch.end());
    outgoing.once('response', (response: IncomingMessage) => {
      watch.end();
      resolve(response);
    });
    outgoing.end(body);
  });
}

/** The codes of OpenSSL and of Node for a certificate that is not believed. */
const UNTRUSTED = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT)/u;

function silent(url: string, cause: unknown): NoAnswer {
  if (cause instanceof Silence)
    return new NoAnswer(`Something listens at ${url} and does not answer. ${cause.message}`, {
      cause,
      remedy: 'See the log of the server; or another program has that port, then name the server in ONAIR_URL.',
    });
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === undefined || !UNTRUSTED.test(code))
    return new NoAnswer(`No server answers at ${url}. Start it with: onair serve`, { cause });
  return new NoAnswer(`The certificate of ${url} is not trusted here: ${message}.`, {
    cause,
    remedy:
      'Name the file of its authority in NODE_EXTRA_CA_CERTS, or have the server get a certificate of a public one.',
  });
}

/** A token would not help where nobody answers. */
async function withoutToken({ url }: Target): Promise<AppError> {
  const answers = await request({ url }, new URL(`${url}/readyz`), { method: 'GET' }).then(
    (response) => {
      response.resume();
      return true;
    },
    () => false,
  );
  if (!answers)
    return new NoAnswer(
      `There is no token for ${url}, and no server answers there. Start it with: onair serve${knownServers()}`,
    );
  return new AppError(
    'unauthenticated',
    `There is no token for ${url}. Sign in with onair login ${url}, set ONAIR_TOKEN, or start the server once on this machine.${knownServers()}`,
    { remedy: `Run onair login ${url}, or set ONAIR_TOKEN to a token of that server.` },
  );
}

/** A server with ONAIR_PORT=0 has another address at each start. */
function knownServers(): string {
  const urls = Object.keys(readCredentials());
  return urls.length === 0 ? '' : ` There is one for ${urls.slice(-3).join(', ')}: set ONAIR_URL to speak to it.`;
}

/** A call is redirected within the same server alone: its arguments may hold stream keys, and its token is for that server. */
function redirected(from: URL, location: string, mayFollow: boolean): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (mayFollow && to?.origin === from.origin) return to;
  const where = to === undefined ? 'an address that is none' : to.origin === from.origin ? 'itself' : to.origin;
  throw new AppError(
    'unavailable',
    `The server at ${from.origin} redirects the call to ${where}. It was not followed: neither the arguments nor the token were sent there.`,
    { remedy: 'If the server has moved, set ONAIR_URL to its new address, or sign in there with onair login.' },
  );
}

/** The whole body. Rejects with NoAnswer when it is cut off. */
export async function bytesOf(response: IncomingMessage, { url }: Pick<Target, 'url'>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const part of documentParts(response)) chunks.push(part);
  } catch (cause) {
    throw cutOff(url, cause);
  }
  return Buffer.concat(chunks);
}

export function cutOff(url: string, cause?: unknown): NoAnswer {
  return new NoAnswer(
    `The server at ${url} has gone before it answered; what was begun there may go on. Look with: onair status`,
    { cause },
  );
}

/** Turns the server's problem object back into the error that it stands for. */
export function fromProblem(body: unknown, status: number): AppError {
  const problem = body as Partial<Problem> | undefined;
  if (problem?.code === undefined)
    return new AppError('upstream_failed', `The server answered ${status} without a reason.`);
  const {
    code,
    detail = '',
    errors,
    upstream,
    remedy,
    type: _type,
    title: _title,
    status: _status,
    ...facts
  } = problem;
  return new AppError(code, detail, {
    ...(errors && { errors }),
    ...(upstream !== undefined && { upstream }),
    ...(remedy !== undefined && { remedy }),
    facts,
  });
}
