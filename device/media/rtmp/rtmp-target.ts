/** Addresses of RTMP servers, to deliver to and to play from, and failures of deliveries in plain words. */
import { assertDeliverable } from '../../../domain/network/delivery-address.ts';
import { bareHost } from '../../../domain/network/networks.ts';
import { MAX_RTMP_BYTES, rtmpParts } from '../../../domain/network/rtmp-address.ts';
import { ended } from '../../../domain/base/sentence.ts';
import type { RtmpAddress } from './rtmp-caller.ts';

export interface RtmpTarget extends RtmpAddress {
  host: string;
  port: number;
  /** host:port as the address has it, for messages. */
  peer: string;
  secure: boolean;
}

const PORTS = { plain: 1935, secure: 443 };

/** Splits a delivery address. Throws TypeError for one that could not be delivered to. */
export function rtmpTarget(address: string, streamKey: string | null): RtmpTarget {
  assertDeliverable(address);
  const url = new URL(address);
  const { protocol, host, hostname } = url;
  const { app, key } = rtmpParts(url, streamKey);
  for (const text of [app, key]) assertText(text);
  const secure = protocol === 'rtmps:';
  const port = Number(url.port) || PORTS[secure ? 'secure' : 'plain'];
  return {
    url: `${protocol}//${hostname}:${port}/${app}`,
    app,
    key,
    host: bareHost(hostname),
    port,
    peer: host,
    secure,
  };
}

/**
 * Splits the address of a source as ffmpeg does: an application may have two parts, and is followed by the name of the stream. Throws
 * TypeError for what is none.
 */
export function playedAddress(address: string): RtmpTarget {
  const { protocol, host, hostname, pathname, search, port: written } = new URL(address);
  const [first = '', ...rest] = pathname.split('/').filter((part) => part !== '');
  const isInstance = rest.length > 1 && !rest[0]!.includes(':') && first !== 'ondemand';
  const app = isInstance ? `${first}/${rest.shift()!}` : first;
  const name = rest.join('/');
  const isFile = /\.(?:f4v|mp4)$/iu.test(name) && !name.includes(':');
  const secure = protocol === 'rtmps:';
  const port = Number(written) || PORTS[secure ? 'secure' : 'plain'];
  return {
    url: `${protocol}//${hostname}:${port}/${app}`,
    app,
    key: (isFile ? 'mp4:' : '') + name.replace(/\.flv$/iu, '') + search,
    host: bareHost(hostname),
    port,
    peer: host,
    secure,
  };
}

/** The target with a query of ours behind its application. */
export function withQuery(target: RtmpTarget, query: string): RtmpTarget {
  const tail = (target.app.includes('?') ? '&' : '?') + query;
  return { ...target, app: target.app + tail, url: target.url + tail };
}

/**
 * Answers the target that the server sends the stream on to: an application elsewhere, with or without the key. Throws TypeError, with half a
 * sentence, for an address that the key may not be taken to.
 */
export function redirectedTarget(from: RtmpTarget, redirect: string): RtmpTarget {
  const url = URL.canParse(redirect) ? new URL(redirect) : undefined;
  if (url === undefined || !['rtmp:', 'rtmps:'].includes(url.protocol)) throw new TypeError('it is none of RTMP');
  if (from.secure && url.protocol === 'rtmp:') throw new TypeError('it has no TLS, which the address asks for');
  const tail = `/${from.key}`;
  const isWhole = from.key !== '' && url.pathname.indexOf('/', 1) > 0 && redirect.endsWith(tail);
  const server = isWhole ? redirect.slice(0, -tail.length) : redirect;
  return rtmpTarget(url.pathname.length > 1 ? server : new URL(`/${from.app}`, url).href, from.key);
}

function assertText(text: string): void {
  if (/[\u0000-\u001f\u007f]/u.test(text))
    throw new TypeError('A stream key must not contain line breaks or other control characters.');
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RTMP_BYTES)
    throw new TypeError(`A stream key or application of ${bytes} bytes is too long; use at most ${MAX_RTMP_BYTES}.`);
}

/** The server says `words` about the stream. */
export function refusedStream(words: string, peer: string): string {
  // A server may repeat what was sent to it behind the application: an answer to its challenge tells of the password.
  const quoted = words.replace(/[?&](?:authmod|reason)=\S*/gu, '');
  return `The server ${peer} refuses the stream: ${ended(quoted)} Check the application and the stream key.`;
}

/** A server that asks for permission elsewhere (nginx-rtmp's on_publish) says nothing to a key that it does not take: it hangs up. */
export function closedConnection(hasAccepted: boolean, peer: string): string {
  return hasAccepted
    ? `The server ${peer} has closed the connection.`
    : `The server ${peer} has hung up before it took the stream. Check the application and the stream key.`;
}

const REASONS: Record<string, (peer: string) => string> = {
  ENOTFOUND: (peer) => `The server ${peer} is not known in the name service.`,
  EAI_AGAIN: (peer) => `The server ${peer} is not known in the name service.`,
  ECONNREFUSED: (peer) => `The server ${peer} refuses connections; nothing listens there.`,
  ETIMEDOUT: () => 'The delivery has ended: its address does not answer in time (timed out).',
  ENETUNREACH: () => 'The delivery has ended: its address cannot be reached from this Device.',
  EHOSTUNREACH: () => 'The delivery has ended: its address cannot be reached from this Device.',
  ERR_SSL_WRONG_VERSION_NUMBER: (peer) => `The server ${peer} does not speak RTMPS; check the scheme and the port.`,
};
const UNTRUSTED = /^(?:CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|UNSPECIFIED|ERR_TLS_CERT_)/u;

/** Says in a sentence why the connection failed. `code` and `message` are of Node's error. */
export function failedConnection(
  code: string | undefined,
  message: string,
  hasAccepted: boolean,
  peer: string,
): string {
  if (code === undefined) return `The delivery has ended (${message}).`;
  if (UNTRUSTED.test(code)) return untrusted(code, peer);
  if (code === 'ECONNRESET' || code === 'EPIPE') return closedConnection(hasAccepted, peer);
  return REASONS[code]?.(peer) ?? `The delivery has ended (${message}).`;
}

function untrusted(code: string, peer: string): string {
  const why =
    code === 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? 'is for another host'
      : code === 'CERT_HAS_EXPIRED'
        ? 'has expired'
        : 'is not signed by an authority that this Device trusts';
  return `The certificate of ${peer} ${why}; correct it, or name its authority by SSL_CERT_FILE on the Device.`;
}
