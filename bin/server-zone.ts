/** The zone that a server reckons in, asked of the server itself: what this process is set to may be another. */
import { connect, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A greeting waits for it. A server of this machine answers in a few milliseconds, one behind a line in one or two hundred. */
const BOUND_MS = 250;
/** Loading what greets keeps the event loop busy, so an answer may lie unread when the bound has passed. */
const UNREAD_MS = 50;
/** The document has a hundred bytes; what answers may be any program. */
const MAX_BYTES = 4096;
/** It stands in what an assistant is instructed with, and so is a name and nothing else. */
const ZONE = /^[a-z][\w+/-]{0,63}$/iu;

/** undefined where no server of ours answers in time. Rejects where nobody listens. */
export async function serverZone(url: string): Promise<string | undefined> {
  const giveUp = new AbortController();
  const bound = sleep(BOUND_MS)
    .then(() => sleep(UNREAD_MS))
    .then(() => undefined);
  try {
    return zoneIn(await Promise.race([read(new URL(`${url}/readyz`), giveUp.signal), bound]));
  } finally {
    giveUp.abort();
  }
}

/** Loading an HTTP client takes longer than the answer: one of this machine is asked on a bare socket. */
async function read(url: URL, signal: AbortSignal): Promise<string> {
  const { hostname, port, protocol } = url;
  const at = { host: hostname.replace(/^\[|\]$/gu, ''), port: Number(port) };
  const socket =
    protocol === 'https:'
      ? (await import('node:tls')).connect({ ...at, port: at.port || 443, servername: isIP(at.host) ? '' : at.host })
      : connect({ ...at, port: at.port || 80 });
  return new Promise((resolve, reject) => {
    let text = '';
    signal.addEventListener('abort', () => socket.destroy());
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_BYTES) socket.destroy(new Error('This is another document.'));
    });
    socket.once('error', reject);
    // Of HTTP/1.0 the end of the connection is that of the answer, which is not in pieces then.
    socket.once('end', () => resolve(text.slice(text.indexOf('\r\n\r\n'))));
    socket.write(`GET ${url.pathname} HTTP/1.0\r\nHost: ${url.host}\r\n\r\n`);
  });
}

function zoneIn(text = ''): string | undefined {
  const { store, timezone } = JSON.parse(text || '{}') as { store?: unknown; timezone?: unknown };
  return store !== undefined && typeof timezone === 'string' && ZONE.test(timezone) ? timezone : undefined;
}
