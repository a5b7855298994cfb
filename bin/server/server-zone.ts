/** The time zone of a server, read from the server itself: the setting of this process may be another. */
import { connect, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { trustFor, type Trust } from '../settings/trust.ts';

/** The greeting of an assistant waits for it. A server of this machine answers in a few milliseconds, a remote one in one or two hundred. */
const BOUND_MS = 250;
/** Loading the MCP server keeps the event loop busy, so an answer may still be in the socket when the bound has passed. */
const GRACE_MS = 50;
/** The document has a hundred bytes, but any program may answer. */
const MAX_BYTES = 4096;
/** The zone becomes part of an assistant's instructions, so it must be a name and nothing else. */
const ZONE = /^[a-z][\w+/-]{0,63}$/iu;

/** Resolves with undefined where no server of ours answers in time. Rejects where nobody listens. */
export async function serverZone(url: string, boundMs = BOUND_MS): Promise<string | undefined> {
  const giveUp = new AbortController();
  const bound = sleep(boundMs, undefined, { signal: giveUp.signal })
    .then(() => sleep(GRACE_MS))
    // It is given up before anybody waits for it where the address is none.
    .then(
      () => undefined,
      () => undefined,
    );
  try {
    return zoneIn(await Promise.race([read(new URL(`${url}/readyz`), await trustFor(url), giveUp.signal), bound]));
  } finally {
    giveUp.abort();
  }
}

/** Loading an HTTP client takes longer than the answer of this machine's server, so the request goes over a bare socket. */
async function read(url: URL, trust: Trust | undefined, signal: AbortSignal): Promise<string> {
  const { hostname, port, protocol } = url;
  const at = { host: hostname.replace(/^\[|\]$/gu, ''), port: Number(port) };
  const socket =
    protocol === 'https:'
      ? (await import('node:tls')).connect({
          ...at,
          ...trust,
          port: at.port || 443,
          servername: isIP(at.host) ? '' : at.host,
        })
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
    // In HTTP/1.0 the end of the connection is the end of the answer, which is never chunked.
    socket.once('end', () => resolve(text.slice(text.indexOf('\r\n\r\n'))));
    socket.write(`GET ${url.pathname} HTTP/1.0\r\nHost: ${url.host}\r\n\r\n`);
  });
}

function zoneIn(text = ''): string | undefined {
  const { store, timezone } = JSON.parse(text || '{}') as { store?: unknown; timezone?: unknown };
  return store !== undefined && typeof timezone === 'string' && ZONE.test(timezone) ? timezone : undefined;
}
