/** Explains errors of sockets, name resolution and TLS; the sentences are the same for every protocol. */
import { connect, type Socket } from 'node:net';
import { NetworkRefusal } from '../../domain/network/networks.ts';
import { reach } from '../reach.ts';
import type { Reason } from './folder.ts';

/** Libraries wrap errors of Node, and Node gathers those of several addresses. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const { code, cause, errors } = error as Error & { code?: unknown; errors?: unknown };
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return [...(typeof code === 'string' ? [code] : []), ...inner.flatMap((each) => codesOf(each, depth + 1))];
}

const TLS = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$|HOSTNAME_MISMATCH$)/u;
const REASONS: Record<string, string> = {
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name does not resolve now',
  ECONNREFUSED: 'it refuses the connection: no server listens there',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
};

function refusalIn(error: unknown, depth = 0): NetworkRefusal | undefined {
  if (error instanceof NetworkRefusal) return error;
  return error instanceof Error && depth <= 5 ? refusalIn(error.cause, depth + 1) : undefined;
}

/** `place` is the server in the sentence, such as `nas.example.com:443`. */
export function networkReason(error: unknown, place: string): Reason | undefined {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return { reason: refusal.message };
  const codes = codesOf(error);
  const tls = codes.find((code) => TLS.test(code));
  if (tls !== undefined) {
    const remedy = 'A certificate authority of your own is made known by NODE_EXTRA_CA_CERTS';
    return { reason: `the server ${place} cannot be trusted: TLS failure ${tls}. ${remedy}` };
  }
  const known = codes.map((code) => REASONS[code]).find((reason) => reason !== undefined);
  return known === undefined ? undefined : { reason: `the server ${place} cannot be reached: ${known}` };
}

/** Opens a TCP connection that ends with `signal`. Rejects with NetworkRefusal or the error of the socket. */
export function connectTcp(
  target: { host: string; port: number; localPort?: number | undefined },
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { host, port, localPort } = target;
    reach().assertHost(host);
    const socket = connect({ host, port, lookup: reach().lookup, ...(localPort !== undefined && { localPort }) });
    const abandon = (): void => void socket.destroy();
    signal.addEventListener('abort', abandon, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', abandon));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // The socket's user hears of its end; an error after that must not end the process.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** Settles with `work` or when `signal` fires: not every library ends a call when its connection ends. */
export function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => reject(signal.reason as Error);
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}
