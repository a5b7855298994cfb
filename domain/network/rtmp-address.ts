/** Splits an RTMP address into application and key: the first is sent at the connection, the second when the stream begins. */
import { byteLength } from '../base/code-points.ts';

/** Bytes in UTF-8 of an application or a key: no platform gives out longer ones, and servers keep less room for them. */
export const MAX_RTMP_BYTES = 900;

/** Ports of Channels that encoders push to. A port speaks TLS or not. */
const [PLAIN_PORT, SECURE_PORT] = [1935, 1936];

export function rtmpPort({ port, tls }: { port?: number | undefined; tls?: boolean | undefined }): number {
  return port ?? (tls === true ? SECURE_PORT : PLAIN_PORT);
}

interface RtmpParts {
  app: string;
  key: string;
}

/** Without a separate key, the part that follows the application in the address is the key, because many users paste it there. */
export function rtmpParts({ pathname, search }: URL, streamKey: string | null): RtmpParts {
  const [app = '', ...rest] = pathname.split('/').filter((part) => part !== '');
  if (streamKey !== null) return { app: [app, ...rest].join('/') + search, key: streamKey };
  const hasKey = rest.length > 0;
  return { app: app + (hasKey ? '' : search), key: hasKey ? rest.join('/') + search : '' };
}

/** Names the part of the address that is too long, with its bytes; undefined for none. `address` parses as a URL. */
export function rtmpLengthIssue(address: string, streamKey: string | null): string | undefined {
  const { app, key } = rtmpParts(new URL(address), streamKey);
  const parts = { application: app, ...(streamKey === null && { 'stream key': key }) };
  const [long] = Object.entries(parts).flatMap(([part, text]) => {
    const excess = excessOf(text);
    return excess === undefined ? [] : [`has a ${part} of ${excess}`];
  });
  return long;
}

/** Checks a key that stands beside the address. */
export function rtmpKeyIssue(streamKey: string): string | undefined {
  const excess = excessOf(streamKey);
  return excess === undefined ? undefined : `has ${excess}`;
}

function excessOf(text: string): string | undefined {
  const bytes = byteLength(text);
  return bytes <= MAX_RTMP_BYTES ? undefined : `${bytes} bytes; RTMP Destinations take at most ${MAX_RTMP_BYTES}`;
}
